import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FormatError, SourceError } from 'tromino';

/** Where the user says that a checkpoint is: a folder on disk or the URL of one. */
export interface CheckpointLocation {
  /** As the user wrote it; messages name it so. */
  readonly name: string;
  /** Absolute path of the folder, or undefined for a URL. */
  readonly folder: string | undefined;
  /** URL of the folder, with a slash at its end, or undefined for a folder on disk. */
  readonly url: URL | undefined;
}

/**
 * Reads a command-line argument as the place of a checkpoint.
 *
 * @throws SourceError if it is a path where there is no folder
 */
export function locateCheckpoint(argument: string): CheckpointLocation {
  if (/^https?:\/\//.test(argument)) {
    const url = new URL(argument);
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    return { name: argument, folder: undefined, url };
  }
  const folder = resolve(argument);
  if (!existsSync(folder)) throw new SourceError(argument, 'there is no such folder');
  if (!statSync(folder).isDirectory()) throw new SourceError(argument, 'expected a folder, found a file');
  return { name: argument, folder, url: undefined };
}

/**
 * Reads and parses one JSON file of a checkpoint.
 *
 * @throws SourceError if the file is missing or cannot be read
 * @throws FormatError if it is not JSON
 */
export async function readCheckpointJson(location: CheckpointLocation, file: string): Promise<unknown> {
  const name = `${location.name.replace(/\/$/, '')}/${file}`;
  const text =
    location.url === undefined
      ? readText(location, file, name)
      : await fetchText(new URL(file, location.url), name);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FormatError(name, `not JSON: ${(error as Error).message}`);
  }
}

function readText(location: CheckpointLocation, file: string, name: string): string {
  const path = join(location.folder ?? '', file);
  if (!existsSync(path)) throw new SourceError(name, 'there is no such file');
  return readFileSync(path, 'utf8');
}

async function fetchText(url: URL, name: string): Promise<string> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new SourceError(name, 'the server cannot be reached', { cause: error });
  });
  if (!response.ok)
    throw new SourceError(name, `the server answered ${response.status} ${response.statusText}`);
  return response.text();
}
