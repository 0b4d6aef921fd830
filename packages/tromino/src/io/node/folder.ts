import { open, readdir, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { throwIfAborted } from '../../util/abort.ts';
import { OptionError, SourceError } from '../../util/errors.ts';
import type { ByteSource } from '../byte_source.ts';
import type { CheckpointFiles } from '../checkpoint_files.ts';
import { pathSegments } from '../file_names.ts';
import { collect, pieceBytes, requireRange } from '../ranges.ts';

/** Opens a folder of the local disk, by path or `file:` URL. Symbolic links are followed: download caches are made of them. */
export function openFolder(folder: string | URL): CheckpointFiles {
  const path = folder instanceof URL ? pathOf(folder) : resolve(folder);
  return {
    description: `folder ${path}`,
    async open(name) {
      const filePath = join(path, ...pathSegments(name));
      const version = await statOrUndefined(name, filePath);
      if (version?.isFile) return new FileSource(name, filePath, version);
      if (version) throw new SourceError(name, `expected a file, found a folder or device in ${path}`);
      await requireFolder(path);
      return undefined;
    },
    async list() {
      await requireFolder(path);
      return await readdir(path);
    },
  };
}

/** Not every `file:` URL is a path: another host's is none, nor is one with an encoded slash. */
function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    const error = new OptionError('source', 'a file: URL of a local folder', JSON.stringify(url.href));
    throw Object.assign(error, { cause });
  }
}

interface FileVersion {
  readonly isFile: boolean;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** A file of the local disk. Its handle is open only while a range is read. */
class FileSource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly #path: string;
  readonly #version: FileVersion;

  constructor(name: string, path: string, version: FileVersion) {
    this.name = name;
    this.sizeBytes = version.sizeBytes;
    this.#path = path;
    this.#version = version;
  }

  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    return await collect(this.stream(offsetBytes, lengthBytes, signal), lengthBytes);
  }

  async *stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    throwIfAborted(signal);
    requireRange(this, offsetBytes, lengthBytes);
    const endBytes = offsetBytes + lengthBytes;
    const handle = await this.#open();
    try {
      for (let offset = offsetBytes; offset < endBytes;) {
        throwIfAborted(signal);
        const piece = await this.#readPiece(handle, offset, Math.min(pieceBytes, endBytes - offset));
        offset += piece.length;
        yield piece;
      }
    } finally {
      await handle.close();
    }
  }

  async #open(): Promise<FileHandle> {
    const handle = await open(this.#path).catch((cause: unknown) => {
      throw new SourceError(this.name, 'could not be opened: it may have been removed since', { cause });
    });
    const { size, mtimeMs } = await handle.stat();
    if (size === this.#version.sizeBytes && mtimeMs === this.#version.modifiedMs) return handle;
    await handle.close();
    throw new SourceError(
      this.name,
      `changed while it was read: expected ${this.#version.sizeBytes} bytes of time ${this.#version.modifiedMs}, ` +
        `found ${size} bytes of time ${mtimeMs}`,
    );
  }

  async #readPiece(handle: FileHandle, offsetBytes: number, lengthBytes: number): Promise<Uint8Array> {
    const buffer = new Uint8Array(lengthBytes);
    const { bytesRead } = await handle.read(buffer, 0, lengthBytes, offsetBytes).catch((cause: unknown) => {
      throw new SourceError(this.name, `could not be read at byte ${offsetBytes}`, { cause });
    });
    if (bytesRead > 0) return buffer.subarray(0, bytesRead);
    throw new SourceError(
      this.name,
      `expected ${lengthBytes} bytes from byte ${offsetBytes}, found the end of the file`,
    );
  }
}

async function statOrUndefined(name: string, path: string): Promise<FileVersion | undefined> {
  try {
    const found = await stat(path);
    return { isFile: found.isFile(), sizeBytes: found.size, modifiedMs: found.mtimeMs };
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new SourceError(name, `could not be opened at ${path}`, { cause });
  }
}

/** A misspelt folder deserves another message than a file that it lacks. */
async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new SourceError(path, 'expected a folder, found none that can be read', { cause });
  });
  if (!found.isDirectory()) throw new SourceError(path, 'expected a folder, found a file');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
