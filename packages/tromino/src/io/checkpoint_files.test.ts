import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OptionError, SourceError } from '../util/errors.ts';
import { openCheckpoint, setFolderOpener } from './checkpoint_files.ts';
import type { CheckpointFiles, CheckpointSource } from './checkpoint_files.ts';
import { openFolder } from './node/folder.ts';
import { collect } from './ranges.ts';

const bytes = Uint8Array.of(1, 2, 3, 4, 5);

/** The bytes of a file, by `read` and by `stream`, which must agree. */
async function contentOf(files: CheckpointFiles, name: string): Promise<number[] | undefined> {
  const source = await files.open(name);
  if (!source) return undefined;
  const whole = [...(await source.read(0, source.sizeBytes))];
  expect([...(await collect(source.stream(0, source.sizeBytes), source.sizeBytes))]).toEqual(whole);
  expect([...(await source.read(1, 2))]).toEqual(whole.slice(1, 3));
  await expect(source.read(3, source.sizeBytes)).rejects.toThrow(SourceError);
  await expect(source.read(0, 1, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  return whole;
}

function fileOf(name: string, relativePath = ''): File {
  const file = new File([bytes], name);
  Object.defineProperty(file, 'webkitRelativePath', { value: relativePath });
  return file;
}

describe('openCheckpoint', () => {
  it.each([
    ['an ArrayBuffer', bytes.buffer],
    ['a Uint8Array', bytes],
    ['a Blob', new Blob([bytes])],
  ])('takes a map from names to %s', async (_, content) => {
    const files = openCheckpoint(new Map([['config.json', content]]));
    expect(await contentOf(files, 'config.json')).toEqual([1, 2, 3, 4, 5]);
    expect(await files.open('absent')).toBeUndefined();
    expect(await files.list?.()).toEqual(['config.json']);
  });

  it('takes chosen files, alone or with their folder', async () => {
    const files = openCheckpoint([fileOf('config.json'), fileOf('x', 'model/shards/x')]);
    expect(await contentOf(files, 'config.json')).toEqual([1, 2, 3, 4, 5]);
    expect(await contentOf(files, 'shards/x')).toEqual([1, 2, 3, 4, 5]);
    expect(() => openCheckpoint([fileOf('a'), fileOf('a')])).toThrow(OptionError);
  });

  it('takes a directory handle', async () => {
    const absent = (): Promise<never> => Promise.reject(new DOMException('none', 'NotFoundError'));
    const file = { kind: 'file', getFile: () => Promise.resolve(fileOf('x')) };
    const shards = { getFileHandle: (name: string) => (name === 'x' ? Promise.resolve(file) : absent()) };
    const directory = {
      name: 'm',
      getFileHandle: absent,
      getDirectoryHandle: (name: string) => (name === 'shards' ? Promise.resolve(shards) : absent()),
    } as unknown as FileSystemDirectoryHandle;
    const files = openCheckpoint(directory);
    expect(await contentOf(files, 'shards/x')).toEqual([1, 2, 3, 4, 5]);
    expect(await files.open('shards/y')).toBeUndefined();
    expect(await files.open('config.json')).toBeUndefined();
  });

  it('takes files of the caller', async () => {
    const own: CheckpointFiles = { description: 'mine', open: () => Promise.resolve(undefined) };
    expect(openCheckpoint(own).description).toBe('mine');
    expect(await openCheckpoint(own).open('x')).toBeUndefined();
  });

  it.each([null, undefined, 7, {}, true])('refuses %j', (source) => {
    expect(() => openCheckpoint(source as CheckpointSource)).toThrow(OptionError);
  });

  it.each(['no-url-without-a-page', 'http://'])('refuses the string %j', (text) => {
    expect(() => openCheckpoint(text)).toThrow(OptionError);
  });

  it.each(['../secret', '/etc/passwd', 'a/../../b', 'a\\b', '', 'C:/x', 'a//b'])(
    'opens no file at %j',
    async (name) => {
      for (const files of [openCheckpoint('http://localhost/m'), openFolder('/tmp')]) {
        await expect(files.open(name)).rejects.toThrow('a path that leads elsewhere');
      }
    },
  );
});

describe('a folder in Node', () => {
  let folder = '';

  beforeEach(async () => {
    setFolderOpener(openFolder);
    folder = await mkdtemp(join(tmpdir(), 'checkpoint-'));
    await writeFile(join(folder, 'config.json'), bytes);
  });

  afterEach(async () => {
    setFolderOpener(undefined);
    await rm(folder, { recursive: true });
  });

  it('is opened by path and by file URL', async () => {
    for (const source of [folder, pathToFileURL(folder), pathToFileURL(folder).href]) {
      const files = openCheckpoint(source);
      expect(await contentOf(files, 'config.json')).toEqual([1, 2, 3, 4, 5]);
      expect(await files.open('absent')).toBeUndefined();
      expect(await files.list?.()).toEqual(['config.json']);
      expect(files.description).toBe(`folder ${folder}`);
    }
  });

  it('that does not exist, or is a file, is an error rather than an empty one', async () => {
    await expect(openCheckpoint(join(folder, 'typo')).open('config.json')).rejects.toThrow(
      'expected a folder, found none',
    );
    await expect(openCheckpoint(join(folder, 'config.json')).open('x')).rejects.toThrow(
      'expected a folder, found a file',
    );
  });

  it('that holds a folder in a file’s place is an error', async () => {
    await expect(openCheckpoint(join(folder, '..')).open(folder.split('/').at(-1) ?? '')).rejects.toThrow(
      'expected a file',
    );
  });

  it('notices a file that changes while it is read', async () => {
    const source = await openCheckpoint(folder).open('config.json');
    await writeFile(join(folder, 'config.json'), bytes.subarray(1));
    await expect(source?.read(0, 1)).rejects.toThrow(
      'config.json: changed while it was read: expected 5 bytes',
    );
    await rm(join(folder, 'config.json'));
    await expect(source?.read(0, 1)).rejects.toThrow('config.json: could not be opened');
  });
});
