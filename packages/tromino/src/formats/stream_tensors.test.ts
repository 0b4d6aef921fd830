import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../io/byte_source.ts';
import { MemorySource } from '../io/memory_source.ts';
import { elementCount } from '../tensor/shape.ts';
import { readSafetensorsHeader } from './safetensors/header.ts';
import { streamTensors } from './stream_tensors.ts';
import { encodeSafetensors } from './testing/safetensors_file.ts';
import type { TensorEntry } from './weight_index.ts';

/** A file whose byte `i` is a function of `i`, made only when it is read, in pieces of awkward size. */
class VirtualSource implements ByteSource {
  readonly name = 'virtual';
  readonly sizeBytes: number;
  readonly seeks: boolean;
  readonly requests: [number, number][] = [];
  readonly #pieceBytes: number;
  readBytes = 0;
  openStreams = 0;

  constructor(sizeBytes: number, pieceBytes: number, seeks = true) {
    this.sizeBytes = sizeBytes;
    this.seeks = seeks;
    this.#pieceBytes = pieceBytes;
  }

  read(): Promise<Uint8Array> {
    return Promise.reject(new Error('only streams are expected'));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
  async *stream(offsetBytes: number, lengthBytes: number): AsyncGenerator<Uint8Array> {
    this.requests.push([offsetBytes, lengthBytes]);
    const memory = new Uint8Array(this.#pieceBytes);
    this.openStreams++;
    try {
      const end = offsetBytes + lengthBytes;
      for (let offset = offsetBytes; offset < end; offset += memory.length) {
        const piece = memory.subarray(0, Math.min(memory.length, end - offset));
        // Every 4,096th byte is enough to tell pieces apart, and quick over gigabytes.
        for (let i = (4096 - (offset % 4096)) % 4096; i < piece.length; i += 4096)
          piece[i] = byteAt(offset + i);
        this.readBytes += piece.length;
        yield piece;
        for (let i = (4096 - (offset % 4096)) % 4096; i < piece.length; i += 4096) piece[i] = 0;
      }
    } finally {
      this.openStreams--;
    }
  }
}

function byteAt(offsetBytes: number): number {
  return (offsetBytes / 4096) % 251;
}

function entry(source: ByteSource, name: string, offsetBytes: number, sizeBytes: number): TensorEntry {
  return { name, dtype: 'f32', shape: [sizeBytes / 4], source, offsetBytes, sizeBytes };
}

const MiB = 1 << 20;

describe('streamTensors', () => {
  it('gives every element once, in whole chunks, whatever the order of the request', async () => {
    const values = Float32Array.from({ length: 2_500_000 }, (_, i) => i);
    const header = {
      a: { dtype: 'F32', shape: [1_200_000], data_offsets: [0, 4_800_000] },
      empty: { dtype: 'F32', shape: [0], data_offsets: [4_800_000, 4_800_000] },
      b: { dtype: 'F64', shape: [650_000], data_offsets: [4_800_000, 10_000_000] },
    };
    // An odd header length puts every tensor at an odd address.
    const json = JSON.stringify(header);
    const padded = json + ' '.repeat(1 - (json.length % 2));
    const file = encodeSafetensors(padded, new Uint8Array(values.buffer));
    const { tensors } = await readSafetensorsHeader(new MemorySource('m', file));
    const found = new Map<string, number[]>();
    const received = new Uint8Array(10_000_000);
    for await (const { entry: tensor, elementOffset, bytes } of streamTensors([...tensors].reverse())) {
      found.set(tensor.name, [...(found.get(tensor.name) ?? []), elementOffset, bytes.length]);
      const size = tensor.sizeBytes / elementCount(tensor.shape);
      received.set(bytes, (tensor.name === 'b' ? 4_800_000 : 0) + elementOffset * size);
    }
    expect(Object.fromEntries(found)).toEqual({
      a: [0, 4 * MiB, MiB, 4_800_000 - 4 * MiB],
      b: [0, 4 * MiB, MiB / 2, 5_200_000 - 4 * MiB],
    });
    expect(new Float32Array(received.buffer).every((value, i) => value === i)).toBe(true);
  });

  it('streams 3 GB through memory for a chunk and a piece', async () => {
    const sizeBytes = 3 * 2 ** 30;
    const source = new VirtualSource(sizeBytes, 1_000_003);
    const entries = [entry(source, 'huge', 8, 2 ** 31), entry(source, 'rest', 8 + 2 ** 31, 2 ** 30 - 8)];
    const buffers = new Set<ArrayBufferLike>();
    let receivedBytes = 0;
    let wrong = 0;
    for await (const { entry: tensor, elementOffset, bytes } of streamTensors(entries)) {
      const offset = tensor.offsetBytes + 4 * elementOffset;
      for (let i = (4096 - (offset % 4096)) % 4096; i < bytes.length; i += 4096) {
        if (bytes[i] !== byteAt(offset + i)) wrong++;
      }
      receivedBytes += bytes.length;
      buffers.add(bytes.buffer);
    }
    expect(receivedBytes).toBe(sizeBytes - 8);
    expect(wrong).toBe(0);
    expect([...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(6 * MiB);
    expect(source.requests).toEqual([[8, sizeBytes - 8]]);
  });

  it('joins neighbours into one request and leaves large gaps out', async () => {
    const source = new VirtualSource(10 * MiB, 5000);
    const other = new VirtualSource(4096, 5000);
    const entries = [
      entry(source, 'far', 8 * MiB, 4096),
      entry(source, 'first', 4096, 4096),
      entry(other, 'other', 0, 4096),
      entry(source, 'near', 40_960, 8192),
    ];
    const seen: string[] = [];
    for await (const { entry: tensor, bytes } of streamTensors(entries)) {
      seen.push(tensor.name);
      expect(bytes[0]).toBe(byteAt(tensor.offsetBytes));
    }
    expect(seen).toEqual(['first', 'near', 'far', 'other']);
    expect(source.requests).toEqual([
      [4096, 45_056],
      [8 * MiB, 4096],
    ]);
    expect(other.requests).toEqual([[0, 4096]]);
  });

  it('reads a file that cannot seek once, whatever the gaps', async () => {
    const source = new VirtualSource(10 * MiB, 5000, false);
    const entries = [entry(source, 'far', 8 * MiB, 4096), entry(source, 'first', 4096, 4096)];
    const seen: string[] = [];
    for await (const { entry: tensor, bytes } of streamTensors(entries)) {
      seen.push(tensor.name);
      expect(bytes[0]).toBe(byteAt(tensor.offsetBytes));
    }
    expect(seen).toEqual(['first', 'far']);
    expect(source.requests).toEqual([[4096, 8 * MiB]]);
  });

  it('reads nothing more after an abort', async () => {
    const source = new VirtualSource(64 * MiB, MiB);
    const controller = new AbortController();
    const reading = (async () => {
      const options = { signal: controller.signal };
      for await (const chunk of streamTensors([entry(source, 'w', 0, 64 * MiB)], options)) {
        if (chunk.elementOffset === 2 * MiB) controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.readBytes).toBe(12 * MiB);
    expect(source.openStreams).toBe(0);
  });

  it('closes the source when the consumer leaves, and when it throws', async () => {
    const source = new VirtualSource(64 * MiB, MiB);
    for await (const chunk of streamTensors([entry(source, 'w', 0, 64 * MiB)]))
      if (chunk.elementOffset === 0) break;
    const throwing = (async () => {
      for await (const chunk of streamTensors([entry(source, 'w', 0, 64 * MiB)]))
        throw new Error(chunk.entry.name);
    })();
    await expect(throwing).rejects.toThrow('w');
    expect(source.openStreams).toBe(0);
  });

  it('refuses the same tensor twice', async () => {
    const tensor = entry(new VirtualSource(64, 64), 'w', 0, 64);
    await expect(streamTensors([tensor, tensor]).next()).rejects.toThrow('a tensor was asked for twice');
  });

  it('gives nothing for nothing', async () => {
    expect(await streamTensors([]).next()).toEqual({ done: true, value: undefined });
  });
});
