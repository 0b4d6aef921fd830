import { afterEach, describe, expect, it } from 'vitest';
import { openCheckpoint } from './checkpoint_files.ts';
import { collect } from './ranges.ts';

const content = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 31) & 0xff);
const folderName = 'checkpoint-files-test';

afterEach(async () => {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(folderName, { recursive: true }).catch(() => undefined);
});

/** A folder of the origin's private file system: the same interface as one that the user picks. */
async function makeFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName, { create: true });
  const shards = await folder.getDirectoryHandle('shards', { create: true });
  for (const [directory, name] of [
    [folder, 'model.safetensors'],
    [shards, 'a'],
  ] as const) {
    const file = await (await directory.getFileHandle(name, { create: true })).createWritable();
    await file.write(content);
    await file.close();
  }
  return folder;
}

describe('openCheckpoint in a browser', () => {
  it('reads a directory handle', async () => {
    const files = openCheckpoint(await makeFolder());
    expect(await files.list?.()).toEqual(['model.safetensors']);
    expect(await files.open('absent')).toBeUndefined();
    expect(await files.open('shards/absent')).toBeUndefined();
    await expect(files.open('shards')).rejects.toThrow(
      'shards: could not be opened in folder checkpoint-files-test',
    );
    for (const name of ['model.safetensors', 'shards/a']) {
      const source = await files.open(name);
      expect(source?.sizeBytes).toBe(3_000_000);
      const bytes = source && (await collect(source.stream(1, 2_999_998), 2_999_998));
      expect(bytes?.every((value, i) => value === content[i + 1])).toBe(true);
    }
  });

  it('takes a string for an address relative to the page', () => {
    expect(openCheckpoint('models/m').description).toBe(new URL('models/m/', document.baseURI).href);
    expect(openCheckpoint('/models/m/').description).toBe(`${location.origin}/models/m/`);
  });
});
