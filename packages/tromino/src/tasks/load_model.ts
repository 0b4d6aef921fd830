import { CpuEngine } from '../exec/cpu_engine.ts';
import type { Engine } from '../exec/engine.ts';
import { GpuEngine } from '../exec/gpu_engine.ts';
import { RevivingEngine } from '../exec/reviving_engine.ts';
import { resolveWeights, storedBytes, type ResolvedWeights } from '../exec/resolve_weights.ts';
import { readWeightIndex } from '../formats/checkpoint_index.ts';
import { ConfigReader, readConfig } from '../formats/huggingface/config_reader.ts';
import { loadTokenizer } from '../formats/huggingface/load_tokenizer.ts';
import { readSentenceSettings, type SentenceSettings } from '../formats/huggingface/sentence_settings.ts';
import { readJson } from '../formats/json.ts';
import { findAdapter } from '../gpu/adapter.ts';
import { borrowDevice, shareDevice, type GpuLease } from '../gpu/device.ts';
import type { BatchShape } from '../graph/graph.ts';
import { openCheckpoint, type CheckpointFiles, type CheckpointSource } from '../io/checkpoint_files.ts';
import { ProgressTracker, type OnProgress } from '../io/progress.ts';
import type { HeadName, ModelDefinition } from '../models/model_definition.ts';
import { defineModel, type RopeFrequencies } from '../models/registry.ts';
import { checkVariantChoice, type VariantChoice } from '../plan/variants.ts';
import { elementCount } from '../tensor/shape.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { throwIfAborted } from '../util/abort.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { MemoryAccount } from '../util/memory_account.ts';
import { optionNames } from '../util/option_names.ts';
import { batchShape } from './batch_shape.ts';
import { leastMarkedTokens } from './question_rows.ts';
import { checkCallback, checkCallOptions, type CallOptions } from './call_options.ts';

/** Tokens of a row whose kernels are compiled while the weights arrive, where `prepareFor` does not say better. Most kernels are those of any length. */
const usualRowTokens = 128;

/** How a model is loaded. Everything has a default. */
export interface LoadOptions {
  /** `auto`, the default: WebGPU where there is an adapter, else the portable backend on the CPU. */
  readonly backend?: 'webgpu' | 'cpu' | 'auto';
  /** A device of the caller's own. It is used with the limits that it has and is never destroyed here. */
  readonly device?: GPUDevice;
  /** Stops the load: reading ends at once, and what was uploaded is given back. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Bytes that this model may own at most, weights and runs together. What would go over is refused before it is allocated. */
  readonly memoryBudgetBytes?: number;
  /** Cut text to this many tokens; never above what the model's positions allow. */
  readonly maxTokens?: number;
  /** Kernel variants to insist on, by op, where they fit: `{ matmul: 'matmul_tile16_f32_f32' }`. */
  readonly variants?: VariantChoice;
  /** Whether intermediates share storage. `off` is for comparison. */
  readonly reuse?: 'on' | 'off';
  /**
   * `f32`, the default, holds rotary frequencies as transformers does when it loads a checkpoint. `as-stored` rounds them to the type that
   * the weights were saved in: what a model answers that was cast as a whole (`model.to(torch.bfloat16)`).
   */
  readonly ropeFrequencies?: RopeFrequencies;
  /**
   * Layers that are submitted at once. With a number the device gets that many, and the next are sent when they are done: a long input does
   * not hold the device, and an abort takes effect between slices. `all`, the default, is one submission.
   */
  readonly layersPerSlice?: number | 'all';
  /** Asks for a device that can time single steps, for `profile()`. */
  readonly profiling?: boolean;
  /**
   * Row lengths to be ready for when the load resolves: kernels compiled, buffers allocated, as `prepare()` does. Without it the first call
   * pays for that, but for the kernels of a usual length: those are compiled while the weights arrive. It needs `retainedPlans` of 1 or more to be kept.
   */
  readonly prepareFor?: number | readonly number[];
  /**
   * Input shapes whose buffers and bind groups stay ready between calls, 1 by default. With 0 a model owns nothing but its weights
   * between calls, and each call builds what it needs.
   */
  readonly retainedPlans?: number;
}

const loadOptionNames = optionNames<LoadOptions>({
  backend: true,
  device: true,
  signal: true,
  onProgress: true,
  memoryBudgetBytes: true,
  maxTokens: true,
  variants: true,
  reuse: true,
  ropeFrequencies: true,
  layersPerSlice: true,
  profiling: true,
  prepareFor: true,
  retainedPlans: true,
});

/** What every task builds on. */
export interface LoadedModel {
  readonly definition: ModelDefinition;
  readonly engine: Engine;
  readonly tokenizer: Tokenizer | undefined;
  readonly maxTokens: number;
  /** How an embedder was trained to make one vector of a text, where its checkpoint says so. */
  readonly sentence: SentenceSettings | undefined;
}

/**
 * Reads the small files, checks everything that can be checked without weights, then uploads the weights.
 * @throws a TrominoError naming what is wrong, or the signal's reason; in either case nothing stays allocated.
 */
export async function loadModel(
  source: CheckpointSource,
  head: HeadName,
  options: LoadOptions,
): Promise<LoadedModel> {
  checkOptions(options);
  const { signal } = options;
  throwIfAborted(signal);
  const progress = new ProgressTracker(options.onProgress);
  progress.enter('files');
  const files = openCheckpoint(source);
  const config = await readConfig(files, signal);
  const index = await readWeightIndex(files, signal);
  const definition = defineModel(config, index, head, options.ropeFrequencies);
  const resolved = resolveWeights(definition.weights, index, config.file);
  const sentence = head === 'embedder' ? await readSentenceSettings(files, signal) : undefined;
  const maxTokens = Math.min(definition.maxTokens, options.maxTokens ?? sentence?.maxTokens ?? Infinity);
  if (definition.questionTokens && maxTokens < leastMarkedTokens)
    throw new OptionError('maxTokens', `at least ${leastMarkedTokens}`, String(maxTokens));
  const { prepareFor } = options;
  const limits = { maxTokens, batchRules: definition.batchRules };
  const firstShape = prepareFor === undefined ? undefined : batchShape(prepareFor, limits, {}, 'prepareFor');
  const likelyShape =
    firstShape ?? batchShape(Math.min(maxTokens, usualRowTokens), limits, {}, 'usualRowTokens');
  const tokenizer = await loadTokenizer(files, signal);
  const stopTokens = head === 'generator' ? await readStopTokens(files, signal) : undefined;
  progress.enter('weights', storedBytes(resolved));
  const engine = await loadEngine(definition, resolved, likelyShape, progress, options);
  try {
    if (firstShape) {
      progress.enter('pipelines');
      await engine.prepare(firstShape, signal);
    }
    progress.finish();
    throwIfAborted(signal);
  } catch (error) {
    engine.dispose();
    throw error;
  }
  return {
    definition: stopTokens ? { ...definition, stopTokens } : definition,
    engine,
    tokenizer,
    maxTokens,
    sentence,
  };
}

/** `generation_config.json` has the last word on where a generation ends: chat models end turns with tokens that the config does not name. */
async function readStopTokens(
  files: CheckpointFiles,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  const file = 'generation_config.json';
  const json = await readJson(files, file, signal);
  if (!json || !('eos_token_id' in json)) return undefined;
  return new ConfigReader(file, json).tokenIds('eos_token_id');
}

async function loadEngine(
  definition: ModelDefinition,
  resolved: ResolvedWeights,
  likelyShape: BatchShape,
  progress: ProgressTracker,
  options: LoadOptions,
): Promise<Engine> {
  const account = new MemoryAccount(options.memoryBudgetBytes);
  const planOptions = {
    reuse: options.reuse ?? 'on',
    variants: options.variants ?? {},
    layersPerSlice: options.layersPerSlice ?? 'all',
  } as const;
  const common = { account, resolved, progress, planOptions, signal: options.signal };
  if (await usesCpu(options)) return CpuEngine.load(definition, common);
  const load = async (loading: typeof common): Promise<GpuEngine> => {
    const lease = await leaseDevice(definition, { ...options, signal: loading.signal });
    try {
      return await GpuEngine.load(definition, {
        ...loading,
        lease,
        likelyShape,
        retainedPlans: options.retainedPlans ?? 1,
      });
    } catch (error) {
      lease.release();
      throw error;
    }
  };
  const engine = await load(common);
  // A caller's own device is not ours to replace: its loss is final for the models on it.
  if (options.device) return engine;
  // The first load's signal and progress were for that load alone: by now the signal may have aborted, as a time limit does.
  return new RevivingEngine(engine, (signal) =>
    load({ ...common, progress: new ProgressTracker(undefined), signal }),
  );
}

async function usesCpu({ backend = 'auto', device }: LoadOptions): Promise<boolean> {
  if (backend === 'cpu') return true;
  if (backend === 'webgpu' || device) return false;
  return (await findAdapter()) === undefined;
}

function leaseDevice(
  definition: ModelDefinition,
  { device, profiling, signal }: Pick<LoadOptions, 'device' | 'profiling'> & CallOptions,
): Promise<GpuLease> {
  if (device) return Promise.resolve(borrowDevice(device));
  const largestBindingBytes = definition.weights.reduce(
    (largest, { shape }) => Math.max(largest, elementCount(shape) * 4),
    0,
  );
  return shareDevice({ largestBindingBytes, features: profiling ? ['timestamp-query'] : [] }, signal);
}

/** Callers without types may pass anything. */
function checkOptions(options: LoadOptions): void {
  checkCallOptions(options, loadOptionNames);
  checkCallback('onProgress', options.onProgress);
  requireChoice('backend', options.backend, ['webgpu', 'cpu', 'auto']);
  requireChoice('reuse', options.reuse, ['on', 'off']);
  requireChoice('ropeFrequencies', options.ropeFrequencies, ['f32', 'as-stored']);
  requireInteger('maxTokens', options.maxTokens, 1);
  requireInteger('retainedPlans', options.retainedPlans, 0);
  if (options.layersPerSlice !== 'all') requireInteger('layersPerSlice', options.layersPerSlice, 1);
  const { memoryBudgetBytes, device, variants } = options;
  if (memoryBudgetBytes !== undefined && !(typeof memoryBudgetBytes === 'number' && memoryBudgetBytes >= 0)) {
    throw new OptionError('memoryBudgetBytes', 'a number of bytes', describe(memoryBudgetBytes));
  }
  if (device !== undefined && options.backend === 'cpu') {
    throw new OptionError('device', 'none with backend "cpu"', describe(device));
  }
  if (device !== undefined && !isDevice(device))
    throw new OptionError('device', 'a GPUDevice', describe(device));
  if (variants !== undefined) checkVariantChoice(variants);
}

function requireChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && choices.includes(value))) return;
  throw new OptionError(name, `one of ${choices.join(', ')}`, describe(value));
}

function requireInteger(name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= least)) return;
  throw new OptionError(name, `an integer from ${least}`, describe(value));
}

/** Told by shape: Dawn's devices in Node are of no class that can be named. */
function isDevice(device: unknown): boolean {
  const { createCommandEncoder, queue, features } = (device ?? {}) as Partial<GPUDevice>;
  return typeof createCommandEncoder === 'function' && queue !== undefined && features !== undefined;
}
