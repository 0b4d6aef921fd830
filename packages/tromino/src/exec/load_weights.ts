import { streamTensors, type TensorChunk } from '../formats/stream_tensors.ts';
import type { TensorEntry } from '../formats/weight_index.ts';
import type { StoredTensor, WeightValues } from '../graph/graph.ts';
import type { ProgressTracker } from '../io/progress.ts';
import { decodeToF32 } from '../tensor/decode.ts';
import { elementSizeBytes } from '../tensor/dtype.ts';
import { assert, must } from '../util/assert.ts';
import type { ResolvedAssembly, ResolvedWeights } from './resolve_weights.ts';

/** Takes a weight's elements as they arrive. The array is reused: copy it, or be done with it when the promise resolves. */
export type WeightSink = (weight: string, firstElement: number, values: WeightValues) => Promise<void> | void;

/**
 * Streams the checkpoint's tensors, range by range, into `sink`: floats as f32 as they arrive, assembled weights when their last tensor is
 * there. A few MiB of a file are in the heap at any time, and the tensors of assemblies that have begun; never a whole file.
 */
export async function loadWeights(
  { parts, assemblies }: ResolvedWeights,
  sink: WeightSink,
  progress: ProgressTracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const partOf = new Map(parts.map((part) => [part.entry, part]));
  const gatheringOf = new Map<TensorEntry, Gathering>();
  let numEntries = parts.length;
  for (const resolved of assemblies) {
    const gathering = new Gathering(resolved);
    for (const entry of resolved.entries) gatheringOf.set(entry, gathering);
    numEntries += resolved.entries.length;
  }
  const entries = new Set([...partOf.keys(), ...gatheringOf.keys()]);
  assert(entries.size === numEntries, 'a tensor is part of two weights: one of them would stay empty');
  let values = new Float32Array(0);
  for await (const chunk of streamTensors(entries, signal ? { signal } : {})) {
    const { entry, elementOffset, bytes } = chunk;
    const gathering = gatheringOf.get(entry);
    if (gathering) {
      gathering.add(chunk);
      for (const [weight, assembled] of gathering.takeIfWhole()) await sink(weight, 0, assembled);
    } else {
      const { weight, firstElement } = must(partOf.get(entry), entry.name);
      const count = bytes.byteLength / elementSizeBytes(entry.dtype);
      if (values.length < count) values = new Float32Array(count);
      decodeToF32(entry.name, entry.dtype, bytes, values);
      await sink(weight, firstElement + elementOffset, values.subarray(0, count));
    }
    progress.add(bytes.byteLength);
  }
}

/** The tensors of an assembly while they arrive. */
class Gathering {
  readonly #resolved: ResolvedAssembly;
  readonly #bytes = new Map<TensorEntry, Uint8Array>();
  #missingBytes: number;

  constructor(resolved: ResolvedAssembly) {
    this.#resolved = resolved;
    this.#missingBytes = resolved.entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  add({ entry, elementOffset, bytes }: TensorChunk): void {
    let whole = this.#bytes.get(entry);
    if (!whole) {
      whole = new Uint8Array(entry.sizeBytes);
      this.#bytes.set(entry, whole);
    }
    whole.set(bytes, elementOffset * elementSizeBytes(entry.dtype));
    this.#missingBytes -= bytes.byteLength;
  }

  /** The assembled weights, once, when the last byte is there; until then none. */
  takeIfWhole(): readonly (readonly [string, WeightValues])[] {
    if (this.#missingBytes > 0) return [];
    const { assembly, entries } = this.#resolved;
    const tensors = entries.map((entry): StoredTensor => ({
      name: entry.name,
      dtype: entry.dtype,
      shape: entry.shape,
      bytes: must(this.#bytes.get(entry), entry.name),
    }));
    this.#bytes.clear();
    return Object.entries(assembly.assemble(tensors));
  }
}
