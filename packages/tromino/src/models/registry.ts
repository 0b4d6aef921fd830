import type { ConfigReader } from '../formats/huggingface/config_reader.ts';
import type { WeightIndex } from '../formats/weight_index.ts';
import { UnsupportedError } from '../util/errors.ts';
import { defineDecoder } from './decoder/define.ts';
import type { DecoderConfig } from './decoder/config.ts';
import { readLlamaConfig } from './llama/config.ts';
import { readMistralConfig } from './mistral/config.ts';
import type { HeadName, ModelDefinition } from './model_definition.ts';
import { readQwen2Config } from './qwen2/config.ts';
import { readQwen3Config } from './qwen3/config.ts';
import type { RopePrecision } from './rope.ts';

/** See {@link RopePrecision}. */
export type RopeFrequencies = 'f32' | 'as-stored';

/** One family: how its config is read, and what its architectures are called. */
interface DecoderFamily {
  readonly readConfig: (config: ConfigReader) => DecoderConfig;
  /** transformers' class name without its task: `Llama` of `LlamaForCausalLM`. */
  readonly className: string;
}

const families: Readonly<Record<string, DecoderFamily>> = {
  llama: { readConfig: readLlamaConfig, className: 'Llama' },
  mistral: { readConfig: readMistralConfig, className: 'Mistral' },
  qwen2: { readConfig: readQwen2Config, className: 'Qwen2' },
  qwen3: { readConfig: readQwen3Config, className: 'Qwen3' },
};

const headSuffixes: Readonly<Record<string, HeadName>> = {
  ForSequenceClassification: 'classifier',
  ForCausalLM: 'generator',
};

/**
 * The model that a checkpoint's config describes.
 * @param ropeFrequencies `f32` as transformers loads a checkpoint, or rounded to the type that the weights were saved in.
 * @param wantedHead what the caller's task needs; undefined to take what the checkpoint says.
 * @throws UnsupportedError for an unknown `model_type`, architecture or quantization, or a head that does another task.
 */
export function defineModel(
  config: ConfigReader,
  index: WeightIndex,
  wantedHead: HeadName | undefined,
  ropeFrequencies: RopeFrequencies = 'f32',
): ModelDefinition {
  const type = config.string('model_type');
  const family = Object.hasOwn(families, type) ? families[type] : undefined;
  if (!family) {
    throw new UnsupportedError('model_type', `"${type}" is not known; known are ${Object.keys(families).join(', ')}`);
  }
  const quantization = config.optionalObject('quantization_config');
  if (quantization) {
    const method = quantization.string('quant_method', { default: 'unknown' });
    throw new UnsupportedError('quantization_config', `quantised checkpoints ("${method}") are not supported yet`);
  }
  const head = headOf(config, family, index);
  if (wantedHead && wantedHead !== head) {
    throw new UnsupportedError(
      'architectures',
      `this checkpoint has a ${head} head; a ${wantedHead} was asked for (loadClassifier and loadGenerator differ)`,
    );
  }
  const decoder = family.readConfig(config);
  const ropePrecision = ropeFrequencies === 'f32' ? 'f32' : storedPrecision(config);
  return defineDecoder(type, { ...decoder, ropePrecision }, head, config, index);
}

/** What the config says the weights were saved in; transformers 5 calls it `dtype`, transformers 4 `torch_dtype`. */
function storedPrecision(config: ConfigReader): RopePrecision {
  const dtype = config.optionalString('dtype') ?? config.optionalString('torch_dtype');
  if (dtype === 'bfloat16') return 'bf16';
  return dtype === 'float16' ? 'f16' : 'f32';
}

function headOf(config: ConfigReader, family: DecoderFamily, index: WeightIndex): HeadName {
  const [architecture] = config.optionalStrings('architectures') ?? [];
  if (architecture === undefined) return index.tensors.has('score.weight') ? 'classifier' : 'generator';
  const suffix = architecture.startsWith(family.className) ? architecture.slice(family.className.length) : architecture;
  const head = Object.hasOwn(headSuffixes, suffix) ? headSuffixes[suffix] : undefined;
  if (head) return head;
  const known = Object.keys(headSuffixes).map((name) => family.className + name);
  throw new UnsupportedError('architectures', `"${architecture}" is not known; known are ${known.join(', ')}`);
}
