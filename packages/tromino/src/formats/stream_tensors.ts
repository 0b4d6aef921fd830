import type { ByteSource } from '../io/byte_source.ts';
import { elementSizeBytes } from '../tensor/dtype.ts';
import { throwIfAborted } from '../util/abort.ts';
import { assert, must } from '../util/assert.ts';
import { SourceError } from '../util/errors.ts';
import type { TensorEntry } from './weight_index.ts';

/** Consecutive elements of one stored tensor. */
export interface TensorChunk {
  readonly entry: TensorEntry;
  /** Elements of the tensor before this chunk. */
  readonly elementOffset: number;
  /** Whole elements, little-endian, at any alignment. Valid until the next chunk is asked for: the memory is used again. */
  readonly bytes: Uint8Array;
}

/** How tensors are streamed. */
export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Largest chunk; a multiple of every element's size. All chunks of a tensor but its last have this size. */
const chunkBytes = 4 << 20;

/** Skipping this many unwanted bytes costs less than another request. */
const worthSkippingBytes = 1 << 20;

/**
 * Reads stored tensors in the order of their bytes, file by file, in as few requests as pay. Never more than a chunk, and the piece
 * that the source delivered last, is in memory. A tensor without elements gives no chunk.
 *
 * @param entries each at most once
 */
export async function* streamTensors(
  entries: Iterable<TensorEntry>,
  options: StreamOptions = {},
): AsyncGenerator<TensorChunk> {
  const wanted = [...entries];
  assert(new Set(wanted).size === wanted.length, 'a tensor was asked for twice in one stream');
  for (const run of contiguousRuns(wanted, worthSkippingBytes)) yield* streamRun(run, options);
}

/**
 * Groups tensors that one request should fetch, in the order of their bytes, file by file.
 * @param worthSkippingBytes a gap up to which skipping costs less than another request; any gap does where a file cannot seek.
 */
export function contiguousRuns(
  entries: readonly TensorEntry[],
  worthSkippingBytes: number,
): readonly (readonly TensorEntry[])[] {
  const sources = new Set(entries.map((entry) => entry.source));
  return [...sources].flatMap((source) => {
    const mostSkippedBytes = source.seeks === false ? Infinity : worthSkippingBytes;
    const sameFile = entries.filter((entry) => entry.source === source);
    const runs: TensorEntry[][] = [];
    let endBytes = 0;
    for (const entry of sameFile.sort((a, b) => a.offsetBytes - b.offsetBytes || a.sizeBytes - b.sizeBytes)) {
      if (runs.length === 0 || entry.offsetBytes - endBytes > mostSkippedBytes) runs.push([]);
      runs.at(-1)?.push(entry);
      endBytes = entry.offsetBytes + entry.sizeBytes;
    }
    return runs;
  });
}

async function* streamRun(run: readonly TensorEntry[], options: StreamOptions): AsyncGenerator<TensorChunk> {
  const first = must(run[0], 'the first tensor of a run');
  const last = must(run.at(-1), 'the last tensor of a run');
  const bytes = new SequentialBytes(
    first.source,
    first.offsetBytes,
    last.offsetBytes + last.sizeBytes,
    options.signal,
  );
  try {
    for (const entry of run) {
      await bytes.skipTo(entry.offsetBytes);
      for (let offset = 0; offset < entry.sizeBytes; offset += chunkBytes) {
        throwIfAborted(options.signal);
        const chunk = await bytes.take(Math.min(chunkBytes, entry.sizeBytes - offset));
        yield { entry, elementOffset: offset / elementSizeBytes(entry.dtype), bytes: chunk };
      }
    }
  } finally {
    await bytes.close();
  }
}

/** Re-cuts a source's pieces at the tensors' borders. */
class SequentialBytes {
  readonly #name: string;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);
  #staging: Uint8Array | undefined;
  #positionBytes: number;

  constructor(source: ByteSource, beginBytes: number, endBytes: number, signal: AbortSignal | undefined) {
    this.#name = source.name;
    this.#pieces = source.stream(beginBytes, endBytes - beginBytes, signal)[Symbol.asyncIterator]();
    this.#positionBytes = beginBytes;
  }

  async skipTo(offsetBytes: number): Promise<void> {
    while (this.#positionBytes < offsetBytes) await this.#next(offsetBytes - this.#positionBytes);
  }

  /** Up to `chunkBytes` bytes: a view of the source's piece where they lie in one, else of the staging memory. */
  async take(lengthBytes: number): Promise<Uint8Array> {
    const part = await this.#next(lengthBytes);
    if (part.length === lengthBytes) return part;
    this.#staging ??= new Uint8Array(chunkBytes);
    this.#staging.set(part);
    for (let filled = part.length; filled < lengthBytes;) {
      const more = await this.#next(lengthBytes - filled);
      this.#staging.set(more, filled);
      filled += more.length;
    }
    return this.#staging.subarray(0, lengthBytes);
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** From 1 to `limitBytes` of the bytes that follow. */
  async #next(limitBytes: number): Promise<Uint8Array> {
    while (this.#piece.length === 0) {
      const result = await this.#pieces.next();
      if (result.done)
        throw new SourceError(this.#name, 'the source ended before the range it was asked for');
      this.#piece = result.value;
    }
    const part = this.#piece.subarray(0, limitBytes);
    this.#piece = this.#piece.subarray(part.length);
    this.#positionBytes += part.length;
    return part;
  }
}
