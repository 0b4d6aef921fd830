import { readWeightIndex } from '../formats/checkpoint_index.ts';
import { readConfig, readConfigText, type ConfigReader } from '../formats/huggingface/config_reader.ts';
import {
  bitsandbytesConfig,
  nf4Tensors,
  type Nf4Format,
  type TensorToStore,
} from '../formats/huggingface/write_bitsandbytes.ts';
import { setMember, type JsonObject } from '../formats/json.ts';
import { streamTensors } from '../formats/stream_tensors.ts';
import type { TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import type { GraphNode, ModelGraph } from '../graph/graph.ts';
import { openCheckpoint, type CheckpointSource } from '../io/checkpoint_files.ts';
import type { ModelDefinition } from '../models/model_definition.ts';
import { defineModel } from '../models/registry.ts';
import { resolveWeights, storedEntries, type ResolvedWeights } from '../exec/resolve_weights.ts';
import { decodeToF32 } from '../tensor/decode.ts';
import { elementSizeBytes } from '../tensor/dtype.ts';
import { nf4BlockSizes } from '../tensor/nf4.ts';
import { elementCount } from '../tensor/shape.ts';
import { throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { FormatError, OptionError, UnsupportedError } from '../util/errors.ts';
import { optionNames } from '../util/option_names.ts';
import { checkCallOptions, type CallOptions } from './call_options.ts';
import { requireBooleanOption } from './text_calls.ts';

/** How a checkpoint is quantised. */
export interface QuantizeOptions extends CallOptions {
  /** Weights that share a scale: 32, 64 (the default), 128, … 4096. */
  readonly blockSize?: number;
  /** Whether scales are quantised too, to 8 bits; bitsandbytes' double quantisation. Off by default. */
  readonly doubleQuantization?: boolean;
}

const quantizeOptionNames = optionNames<QuantizeOptions>({
  signal: true,
  blockSize: true,
  doubleQuantization: true,
});

/** A checkpoint in NF4, to be stored as bitsandbytes and transformers store it. */
export interface QuantizedCheckpoint {
  /** The new `config.json`. */
  readonly config: JsonObject;
  /** The same as text, in which whatever stood in the old file is as it was: transformers takes no `2` for `2.0`. */
  readonly configText: string;
  /** Names of the matrices that are quantised. */
  readonly quantized: readonly string[];
  /**
   * All tensors, computed one after the other as they are asked for.
   *
   * Reading on throws a FormatError for a weight to be quantised that is no finite number, a SourceError where a file cannot be read, and
   * the signal's reason.
   */
  tensors(): AsyncGenerator<TensorToStore>;
}

/** Modules that turn hidden states into scores. They are small or tied, and what they lose is lost for good, so they stay in floats. */
const heads = /^(lm_head|score|classifier|qa_outputs|head|pointer)\b/;

/**
 * Modules of an encoder that transformers makes and a file may lack: those that score tokens, whose matrix is the embedding's, and poolers,
 * which are then made anew. transformers knows the tied ones, but forgets them where modules to skip are named.
 */
const modulesWithoutTensors: Readonly<Record<string, readonly string[]>> = {
  bert: ['pooler.dense', 'cls.predictions.decoder'],
  roberta: ['pooler.dense', 'lm_head.decoder'],
  'xlm-roberta': ['pooler.dense', 'lm_head.decoder'],
  mpnet: ['pooler.dense', 'lm_head.decoder'],
  distilbert: ['vocab_projector'],
  modernbert: ['decoder'],
  'deberta-v2': ['cls.predictions.decoder', 'lm_predictions.lm_head'],
};

/**
 * Quantises a checkpoint's projections to NF4. Embeddings, norms, biases and heads stay as they are.
 *
 * **Numerics** codes and scales are those that bitsandbytes computes.
 *
 * @throws OptionError for a block size that bitsandbytes does not know, and a flag that is none.
 * @throws UnsupportedError for a checkpoint that is quantised already, or has nothing to quantise.
 * @throws FormatError or ShapeError naming the file or tensor for a checkpoint that is none, and SourceError where one cannot be read.
 */
export async function quantizeCheckpoint(
  source: CheckpointSource,
  options: QuantizeOptions = {},
): Promise<QuantizedCheckpoint> {
  checkCallOptions(options, quantizeOptionNames);
  requireBooleanOption('doubleQuantization', options.doubleQuantization ?? false);
  const { signal } = options;
  const format: Nf4Format = {
    blockSize: options.blockSize ?? 64,
    nestsScales: options.doubleQuantization ?? false,
  };
  if (!nf4BlockSizes.includes(format.blockSize)) {
    throw new OptionError('blockSize', `one of ${nf4BlockSizes.join(', ')}`, describe(format.blockSize));
  }
  throwIfAborted(signal);
  const files = openCheckpoint(source);
  const config = await readConfig(files, signal);
  if (config.has('quantization_config')) {
    throw new UnsupportedError('quantization_config', 'the checkpoint is quantised already');
  }
  const index = await readWeightIndex(files, signal);
  const definition = defineModel(config, index, undefined);
  const resolved = resolveWeights(definition.weights, index, config.file);
  const projections = projectionTensors(definition, index);
  const skipped = new Set([
    ...[...projections.filter((name) => heads.test(name)), ...unusedMatrices(index, resolved)].map(moduleOf),
    ...unstoredModules(config, index),
  ]);
  const quantized = projections.filter((name) => !isSkipped(moduleOf(name), skipped));
  if (quantized.length === 0)
    throw new UnsupportedError('quantize', 'the checkpoint has no matrix to quantise');
  const quantizationConfig = bitsandbytesConfig(format, [...skipped]);
  return {
    config: { ...config.json, quantization_config: quantizationConfig },
    configText: setMember(await readConfigText(files, signal), 'quantization_config', quantizationConfig),
    quantized,
    tensors: () => quantizeTensors(index, new Set(quantized), format, signal),
  };
}

/** The stored matrices that activations are multiplied by and nothing else: an embedding that scores tokens too is none of them. */
function projectionTensors(definition: ModelDefinition, index: WeightIndex): string[] {
  const graph = definition.graph({ numTokens: 1, numRows: 1, maxRowTokens: 1, numPositions: 1 });
  const matrices = weightsRead(graph, ({ op }, operand) => op === 'matmul' && operand === 'weight');
  const others = weightsRead(graph, ({ op }, operand) => op !== 'matmul' || operand !== 'weight');
  return definition.weights
    .filter(({ name }) => matrices.has(name) && !others.has(name))
    .flatMap((spec) => ('parts' in spec ? spec.parts : []))
    .map(({ tensor }) => (index.tensors.has(tensor) ? tensor : tensor.replace(/^model\./, '')));
}

/** Matrices that the model here does not read, as an encoder's pooler. They stay in floats, and transformers must be told so. */
function unusedMatrices({ tensors }: WeightIndex, resolved: ResolvedWeights): string[] {
  const used = new Set(storedEntries(resolved));
  return [...tensors.values()]
    .filter((entry) => entry.shape.length === 2 && entry.name.endsWith('.weight') && !used.has(entry))
    .map(({ name }) => name);
}

function moduleOf(matrix: string): string {
  return matrix.replace(/\.weight$/, '');
}

/**
 * Whether transformers leaves a module in floats. A name to skip is one's beginning or its end there: `classifier` is `pre_classifier` too.
 *
 * **Source** https://github.com/huggingface/transformers, quantizers/quantizers_utils.py, `should_convert_module`.
 */
function isSkipped(module: string, skipped: ReadonlySet<string>): boolean {
  return [...skipped].some((name) => module.startsWith(name) || module.endsWith(name));
}

/** Modules that have no matrix in the files, but one in transformers, where it must not be a packed one. */
function unstoredModules(config: ConfigReader, { tensors }: WeightIndex): readonly string[] {
  const named = modulesWithoutTensors[config.string('model_type')];
  if (named) return named;
  const scoresTokens = config.optionalStrings('architectures')?.some((name) => name.endsWith('ForCausalLM'));
  return scoresTokens && !tensors.has('lm_head.weight') ? ['lm_head'] : [];
}

function weightsRead(
  graph: ModelGraph,
  isWanted: (node: GraphNode, operand: string) => boolean,
): Set<string> {
  const names = new Set<string>();
  for (const node of graph.nodes) {
    for (const [operand, id] of Object.entries(node.operands)) {
      const { origin } = must(graph.values[id], operand);
      if (origin.kind === 'weight' && isWanted(node, operand)) names.add(origin.weight);
    }
  }
  return names;
}

async function* quantizeTensors(
  index: WeightIndex,
  quantized: ReadonlySet<string>,
  format: Nf4Format,
  signal: AbortSignal | undefined,
): AsyncGenerator<TensorToStore> {
  for await (const { entry, bytes } of wholeTensors([...index.tensors.values()], signal)) {
    const { name, dtype, shape } = entry;
    if (quantized.has(name)) yield* quantizeEntry(entry, bytes, format);
    else yield { name, dtype, shape, bytes };
  }
}

function quantizeEntry(entry: TensorEntry, bytes: Uint8Array, format: Nf4Format): TensorToStore[] {
  const { name, dtype, shape, source } = entry;
  const weights = new Float32Array(elementCount(shape));
  decodeToF32(name, dtype, bytes, weights);
  const wrong = weights.findIndex((weight) => !Number.isFinite(weight));
  if (wrong >= 0) {
    const found = `${weights[wrong] as number} at ${wrong}`;
    throw new FormatError(source.name, `tensor ${name}: expected finite numbers, found ${found}`);
  }
  return nf4Tensors(name, weights, shape, dtype, format);
}

/** All entries, those without elements first: of them nothing streams. */
async function* wholeTensors(
  entries: readonly TensorEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<{ entry: TensorEntry; bytes: Uint8Array }> {
  for (const entry of entries) if (entry.sizeBytes === 0) yield { entry, bytes: new Uint8Array() };
  let whole = new Uint8Array();
  for await (const { entry, elementOffset, bytes } of streamTensors(entries, { signal })) {
    const offsetBytes = elementOffset * elementSizeBytes(entry.dtype);
    if (offsetBytes === 0) whole = new Uint8Array(entry.sizeBytes);
    whole.set(bytes, offsetBytes);
    if (offsetBytes + bytes.length === entry.sizeBytes) yield { entry, bytes: whole };
  }
}
