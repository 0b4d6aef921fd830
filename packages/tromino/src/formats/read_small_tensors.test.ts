import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../io/byte_source.ts';
import { MemorySource } from '../io/memory_source.ts';
import { readSmallTensors } from './read_small_tensors.ts';
import type { TensorEntry } from './weight_index.ts';

/** A megabyte of bytes that tell where they are, with a list of what was asked of it. */
function source(seeks: boolean): ByteSource & { readonly requests: readonly [number, number][] } {
  const requests: [number, number][] = [];
  const memory = new MemorySource(
    'm',
    Uint8Array.from({ length: 1 << 20 }, (_, i) => (i >> 10) & 255),
  );
  return {
    name: 'm',
    sizeBytes: memory.sizeBytes,
    seeks,
    requests,
    read: () => Promise.reject(new Error('only streams are expected')),
    stream: (offsetBytes, lengthBytes) => {
      requests.push([offsetBytes, lengthBytes]);
      return memory.stream(offsetBytes, lengthBytes);
    },
  };
}

function entry(file: ByteSource, offsetBytes: number, sizeBytes = 100): TensorEntry {
  return { name: String(offsetBytes), dtype: 'u8', shape: [sizeBytes], source: file, offsetBytes, sizeBytes };
}

const kiB = 1024;

describe('readSmallTensors', () => {
  it.each([true, false])('gives each its bytes, where seeks is %s', async (seeks) => {
    const file = source(seeks);
    const entries = [entry(file, 900 * kiB), entry(file, 3 * kiB), entry(file, 20 * kiB), entry(file, 50, 0)];
    const bytesOf = await readSmallTensors(entries, undefined);
    const found = entries.map((tensor) => [bytesOf.get(tensor)?.length, bytesOf.get(tensor)?.[99]]);
    expect(found).toEqual([
      [100, 900 & 255],
      [100, 3],
      [100, 20],
      [0, undefined],
    ]);
  });

  it('asks for neighbours at once, and for all at once of a file that cannot seek', async () => {
    const [seeking, other] = [source(true), source(false)];
    const offsets = [3 * kiB, 20 * kiB, 900 * kiB];
    const entries = [seeking, other].flatMap((file) => offsets.map((offset) => entry(file, offset)));
    await readSmallTensors(entries, undefined);
    expect(seeking.requests).toEqual([
      [3 * kiB, 17 * kiB + 100],
      [900 * kiB, 100],
    ]);
    expect(other.requests).toEqual([[3 * kiB, 897 * kiB + 100]]);
  });
});
