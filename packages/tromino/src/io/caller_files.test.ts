import { describe, expect, it } from 'vitest';
import { must } from '../util/assert.ts';
import { OptionError, SourceError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';
import { openCallerFiles } from './caller_files.ts';
import type { CheckpointFiles } from './checkpoint_files.ts';

const content = Uint8Array.of(1, 2, 3, 4, 5);

/** A right source of five bytes, with some of its parts replaced by wrong ones. */
async function openBroken(wrong: Readonly<Partial<Record<keyof ByteSource, unknown>>>): Promise<ByteSource> {
  const right: ByteSource = {
    name: 'theirs',
    sizeBytes: content.length,
    read: (offset, length) => Promise.resolve(content.subarray(offset, offset + length)),
    stream: (offset, length) => piecesOf(content.subarray(offset, offset + length)),
  };
  const source = { ...right, ...wrong } as ByteSource;
  const files = openCallerFiles({ description: 'mine', open: () => Promise.resolve(source) });
  return must(await files.open('w.safetensors'), 'source');
}

async function* piecesOf(...pieces: readonly unknown[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield await Promise.resolve(piece as Uint8Array);
}

async function drain(source: ByteSource, signal?: AbortSignal): Promise<number[]> {
  const bytes: number[] = [];
  for await (const piece of source.stream(0, 5, signal)) bytes.push(...piece);
  return bytes;
}

const fail = (): never => {
  throw new Error('boom');
};
const never = (): Promise<never> => new Promise(() => undefined);

describe('files of the caller', () => {
  it('are read as they are when they keep their promises', async () => {
    const source = await openBroken({});
    expect([...(await source.read(1, 3))]).toEqual([2, 3, 4]);
    expect(await drain(source)).toEqual([1, 2, 3, 4, 5]);
    const cut = await openBroken({
      stream: () => piecesOf(content.slice(0, 2), new Uint8Array(0), content.slice(2)),
    });
    expect(await drain(cut)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'reads too little',
      { read: () => Promise.resolve(content.slice(0, 4)) },
      'expected 5 bytes from byte 0, found 4',
    ],
    [
      'reads too much',
      { read: () => Promise.resolve(new Uint8Array(9)) },
      'expected 5 bytes from byte 0, found 9',
    ],
    ['reads nothing', { read: () => Promise.resolve(null) }, 'expected bytes as a Uint8Array, found null'],
    [
      'reads a buffer',
      { read: () => Promise.resolve(content.buffer) },
      'expected bytes as a Uint8Array, found a value of type ArrayBuffer',
    ],
    ['throws', { read: fail }, 'could not be read: boom'],
  ])('that %s are refused', async (_, wrong, message) => {
    const reading = (await openBroken(wrong)).read(0, 5);
    await expect(reading).rejects.toThrow(SourceError);
    await expect(reading).rejects.toThrow(`w.safetensors: ${message}`);
  });

  it.each<[string, unknown, string]>([
    ['end early', () => piecesOf(content.slice(0, 3)), 'expected 5 bytes from byte 0, found 3'],
    ['go on', () => piecesOf(new Uint8Array(9)), 'expected 5 bytes from byte 0, found 9'],
    ['hold no bytes', () => piecesOf('abc'), 'expected bytes as a Uint8Array, found "abc"'],
    ['are none', () => null, 'could not be read: '],
    ['throw', fail, 'could not be read: boom'],
  ])('whose streams %s are refused', async (_, stream, message) => {
    const draining = drain(await openBroken({ stream }));
    await expect(draining).rejects.toThrow(SourceError);
    await expect(draining).rejects.toThrow(`w.safetensors: ${message}`);
  });

  it.each([NaN, -1, 1.5, '5', undefined])('of size %o are refused', async (sizeBytes) => {
    await expect(openBroken({ sizeBytes })).rejects.toThrow(
      'w.safetensors: sizeBytes: expected a whole number of bytes',
    );
  });

  it('that cannot be opened or listed are refused', async () => {
    const files = (wrong: object): CheckpointFiles =>
      openCallerFiles({ description: 'mine', open: fail, ...wrong });
    await expect(files({}).open('a')).rejects.toThrow(new SourceError('a', 'could not be opened: boom'));
    await expect(files({ open: () => 5 }).open('a')).rejects.toThrow(
      'a: expected a ByteSource with read and stream, found 5',
    );
    await expect(files({ list: fail }).list?.()).rejects.toThrow('mine: could not be listed: boom');
    await expect(files({ list: () => 5 }).list?.()).rejects.toThrow(
      'mine: expected a list of file names, found 5',
    );
    await expect(files({ list: () => new Array<string>(2) }).list?.()).rejects.toThrow(
      'mine: expected a list of file names, found a list of 2',
    );
    expect(() => files({ open: 5 })).toThrow(OptionError);
    expect('list' in files({})).toBe(false);
  });

  it('that never answer are left as soon as the signal aborts', async () => {
    const stuck = (): AsyncGenerator<Uint8Array> =>
      (async function* () {
        yield await never();
      })();
    const empty = (): AsyncGenerator<Uint8Array> =>
      (async function* () {
        while (true) yield await Promise.resolve(new Uint8Array(0));
      })();
    const files = openCallerFiles({ description: 'mine', open: never });
    const reason = new Error('enough');
    const calls: ((signal: AbortSignal) => Promise<unknown>)[] = [
      (signal) => files.open('a', signal),
      async (signal) => (await openBroken({ read: never })).read(0, 5, signal),
      async (signal) => drain(await openBroken({ stream: stuck }), signal),
      async (signal) => drain(await openBroken({ stream: empty }), signal),
    ];
    for (const call of calls) {
      const abort = new AbortController();
      const calling = call(abort.signal);
      setTimeout(() => {
        abort.abort(reason);
      }, 10);
      await expect(calling).rejects.toBe(reason);
    }
  });
});
