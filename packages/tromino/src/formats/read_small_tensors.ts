import { assert } from '../util/assert.ts';
import { contiguousRuns, streamTensors } from './stream_tensors.ts';
import type { TensorEntry } from './weight_index.ts';

/** Reading this many unwanted bytes costs less than another request. */
const worthReadingBytes = 32 * 1024;

/** Requests that are under way at once. */
const mostRequests = 8;

/**
 * Reads whole tensors that are small and may lie far apart, neighbours with one request; all of a file with one where it cannot seek.
 *
 * @param entries each at most once
 */
export async function readSmallTensors(
  entries: readonly TensorEntry[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<TensorEntry, Uint8Array>> {
  const bytesOf = new Map<TensorEntry, Uint8Array>(entries.map((entry) => [entry, new Uint8Array()]));
  const read = async (run: readonly TensorEntry[]): Promise<void> => {
    for await (const { entry, bytes } of streamTensors(run, { signal })) {
      assert(bytes.length === entry.sizeBytes, `${entry.name} is no small tensor`);
      bytesOf.set(entry, bytes.slice());
    }
  };
  const runs = contiguousRuns(entries, worthReadingBytes);
  for (let i = 0; i < runs.length; i += mostRequests)
    await Promise.all(runs.slice(i, i + mostRequests).map(read));
  return bytesOf;
}
