import { readWeightIndex } from '../formats/checkpoint_index.ts';
import { readConfig } from '../formats/huggingface/config_reader.ts';
import type { JsonObject } from '../formats/json.ts';
import type { TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import { openCheckpoint, type CheckpointSource } from '../io/checkpoint_files.ts';
import { defaultCaps, type DeviceCaps } from '../kernels/index.ts';
import type { HeadName } from '../models/model_definition.ts';
import { defineModel } from '../models/registry.ts';
import { resolveWeights } from '../exec/resolve_weights.ts';
import { buildPlan } from '../plan/build_plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { StoredDType } from '../tensor/dtype.ts';
import { throwIfAborted } from '../util/abort.ts';
import { requireKnownOptions } from '../util/option_names.ts';
import { elementCount, type Shape } from '../tensor/shape.ts';
import { checkCallOptions, type CallOptions } from './call_options.ts';
import { batchShape, rowOptionNames, type RowOptions } from './batch_shape.ts';

/** One tensor of the checkpoint. A packed matrix is one, with everything that is stored for it. */
export interface TensorSummary {
  readonly name: string;
  readonly dtype: StoredDType | 'nf4' | 'ternary';
  readonly shape: Shape;
  readonly file: string;
  readonly sizeBytes: number;
  /** Stored bits for each element, scales included. */
  readonly bitsPerWeight: number;
}

/** What a checkpoint is, from its small files and headers alone. */
export interface CheckpointSummary {
  readonly description: string;
  readonly family: string;
  readonly head: HeadName;
  readonly labels: readonly string[];
  readonly maxTokens: number;
  readonly numParameters: number;
  /** Bytes of all tensors as stored. */
  readonly totalBytes: number;
  readonly hasTokenizer: boolean;
  readonly config: JsonObject;
  readonly tensors: readonly TensorSummary[];
  /** The plan of a call with rows of these lengths, for a device with the default limits or with those given. */
  planFor(rowLengths: number | readonly number[], caps?: DeviceCaps, options?: RowOptions): Plan;
}

/**
 * Reads a checkpoint's small files and headers, checks them as a load would, and says what is there. No weight is read.
 * @throws the errors that a load would throw.
 */
export async function inspectCheckpoint(
  source: CheckpointSource,
  options: CallOptions = {},
): Promise<CheckpointSummary> {
  checkCallOptions(options);
  const { signal } = options;
  throwIfAborted(signal);
  const files = openCheckpoint(source);
  const config = await readConfig(files, signal);
  const index = await readWeightIndex(files, signal);
  const definition = defineModel(config, index, undefined);
  resolveWeights(definition.weights, index, config.file);
  const tensors = summariseTensors(index);
  return {
    description: files.description,
    family: definition.family,
    head: definition.head,
    labels: definition.labels,
    maxTokens: definition.maxTokens,
    numParameters: tensors.reduce((sum, { shape }) => sum + elementCount(shape), 0),
    totalBytes: index.totalBytes,
    hasTokenizer: (await files.open('tokenizer.json', signal)) !== undefined,
    config: config.json,
    tensors,
    planFor: (rowLengths, caps = defaultCaps, rowOptions = {}) => {
      requireKnownOptions(rowOptions, rowOptionNames);
      const shape = batchShape(rowLengths, definition, rowOptions, 'planFor(rowLengths)');
      return buildPlan(definition.graph(shape), caps);
    },
  };
}

/** A matrix that is stored packed: what it is, and what is stored for it beside its codes. */
interface PackedMatrix {
  readonly dtype: 'nf4' | 'ternary';
  readonly shape: Shape;
  readonly companions: readonly TensorEntry[];
}

function summariseTensors(index: WeightIndex): TensorSummary[] {
  const packed = packedMatrices(index);
  const companions = new Set([...packed.values()].flatMap((matrix) => matrix.companions));
  return [...index.tensors.values()]
    .filter((entry) => !companions.has(entry))
    .map((entry): TensorSummary => {
      const { name, source } = entry;
      const matrix = packed.get(entry);
      const shape = matrix?.shape ?? entry.shape;
      const stored = [entry, ...(matrix?.companions ?? [])];
      const sizeBytes = stored.reduce((sum, part) => sum + part.sizeBytes, 0);
      const bitsPerWeight = (sizeBytes * 8) / Math.max(1, elementCount(shape));
      return {
        name,
        dtype: matrix?.dtype ?? entry.dtype,
        shape,
        file: source.name,
        sizeBytes,
        bitsPerWeight,
      };
    });
}

/** By the tensor with the matrix's codes. */
function packedMatrices({ tensors, nf4 }: WeightIndex): ReadonlyMap<TensorEntry, PackedMatrix> {
  const packed = new Map<TensorEntry, PackedMatrix>();
  for (const { codes, rows, columns, scales, mapEntry, state, nested } of nf4.values()) {
    const companions = [scales, mapEntry, state, ...(nested ? [nested.absmax, nested.map] : [])];
    packed.set(codes, { dtype: 'nf4', shape: [rows, columns], companions });
  }
  for (const codes of tensors.values()) {
    const scale = tensors.get(`${codes.name}_scale`);
    const [byteRows, columns] = codes.shape;
    if (!scale || codes.dtype !== 'u8' || byteRows === undefined || columns === undefined) continue;
    // Four rows of codes lie in the fields of a byte.
    packed.set(codes, { dtype: 'ternary', shape: [4 * byteRows, columns], companions: [scale] });
  }
  return packed;
}
