import { streamTensors } from '../formats/stream_tensors.ts';
import type { ProgressTracker } from '../io/progress.ts';
import { decodeToF32 } from '../tensor/decode.ts';
import { elementSizeBytes } from '../tensor/dtype.ts';
import { assert, must } from '../util/assert.ts';
import type { ResolvedPart } from './resolve_weights.ts';

/** Takes a weight's elements as they arrive. The array is reused: copy it, or be done with it when the promise resolves. */
export type WeightSink = (
  weight: string,
  firstElement: number,
  values: Float32Array<ArrayBuffer>,
) => Promise<void> | void;

/**
 * Streams the checkpoint's tensors, range by range, as f32 into `sink`. A few MiB of a file are in the heap at any time, never a whole one.
 */
export async function loadWeights(
  parts: readonly ResolvedPart[],
  sink: WeightSink,
  progress: ProgressTracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const partOf = new Map(parts.map((part) => [part.entry, part]));
  assert(partOf.size === parts.length, 'a tensor is part of two weights: one of them would stay empty');
  let values = new Float32Array(0);
  const options = signal ? { signal } : {};
  for await (const { entry, elementOffset, bytes } of streamTensors([...partOf.keys()], options)) {
    const { weight, firstElement } = must(partOf.get(entry), entry.name);
    const count = bytes.byteLength / elementSizeBytes(entry.dtype);
    if (values.length < count) values = new Float32Array(count);
    decodeToF32(entry.name, entry.dtype, bytes, values);
    await sink(weight, firstElement + elementOffset, values.subarray(0, count));
    progress.add(bytes.byteLength);
  }
}
