import type { ConfigReader } from '../formats/huggingface/config_reader.ts';
import type { WeightIndex } from '../formats/weight_index.ts';
import { UnsupportedError } from '../util/errors.ts';
import { bertModules, readBertConfig } from './bert/config.ts';
import { readBitNetConfig } from './bitnet/config.ts';
import { defineDecoder, type DecoderHeadName } from './decoder/define.ts';
import type { DecoderConfig } from './decoder/config.ts';
import { debertaV2Modules, readDebertaV2Config } from './deberta_v2/config.ts';
import { distilBertModules, readDistilBertConfig } from './distilbert/config.ts';
import type { EncoderConfig, EncoderModules } from './encoder/config.ts';
import { defineEncoder } from './encoder/define.ts';
import { readGemma3Config } from './gemma3/config.ts';
import { gpt2Modules, readGpt2Config } from './gpt2/config.ts';
import { readLlamaConfig } from './llama/config.ts';
import { defineMagicBox } from './magicbox/define.ts';
import { readMistralConfig } from './mistral/config.ts';
import type { HeadName, ModelDefinition } from './model_definition.ts';
import { mpnetModules, readMpnetConfig } from './mpnet/config.ts';
import { modernBertModules, readModernBertConfig } from './modernbert/config.ts';
import { readQwen2Config } from './qwen2/config.ts';
import { readQwen3Config } from './qwen3/config.ts';
import { readRobertaConfig, readXlmRobertaConfig } from './roberta/config.ts';
import type { RopePrecision } from './rope.ts';

/** See {@link RopePrecision}. */
export type RopeFrequencies = 'f32' | 'as-stored';

interface Family {
  /** transformers' class name without its task: `Llama` of `LlamaForCausalLM`. */
  readonly className: string;
}

interface DecoderFamily extends Family {
  readonly kind: 'decoder';
  readonly readConfig: (config: ConfigReader) => DecoderConfig;
  /** Heads by the suffixes of their classes, where they are not those of a decoder. */
  readonly heads?: Readonly<Record<string, DecoderHeadName>>;
}

interface EncoderFamily extends Family {
  readonly kind: 'encoder';
  readonly readConfig: (config: ConfigReader, precision: RopePrecision) => EncoderConfig;
  readonly modules: EncoderModules;
  /** Heads by the suffixes of their classes, where they are not those of an encoder. */
  readonly heads?: Readonly<Record<string, HeadName>>;
}

interface PointerFamily extends Family {
  readonly kind: 'pointer';
}

const families: Readonly<Record<string, DecoderFamily | EncoderFamily | PointerFamily>> = {
  llama: { kind: 'decoder', readConfig: readLlamaConfig, className: 'Llama' },
  mistral: { kind: 'decoder', readConfig: readMistralConfig, className: 'Mistral' },
  qwen2: { kind: 'decoder', readConfig: readQwen2Config, className: 'Qwen2' },
  qwen3: { kind: 'decoder', readConfig: readQwen3Config, className: 'Qwen3' },
  bitnet: { kind: 'decoder', readConfig: readBitNetConfig, className: 'BitNet' },
  bert: { kind: 'encoder', readConfig: readBertConfig, className: 'Bert', modules: bertModules('bert.') },
  distilbert: {
    kind: 'encoder',
    readConfig: readDistilBertConfig,
    className: 'DistilBert',
    modules: distilBertModules,
  },
  roberta: { kind: 'encoder', readConfig: readRobertaConfig, className: 'Roberta', modules: bertModules('roberta.') },
  'xlm-roberta': {
    kind: 'encoder',
    readConfig: readXlmRobertaConfig,
    className: 'XLMRoberta',
    modules: bertModules('roberta.'),
  },
  mpnet: { kind: 'encoder', readConfig: readMpnetConfig, className: 'MPNet', modules: mpnetModules },
  'deberta-v2': {
    kind: 'encoder',
    readConfig: readDebertaV2Config,
    className: 'DebertaV2',
    modules: debertaV2Modules,
  },
  gemma3_text: {
    kind: 'decoder',
    readConfig: readGemma3Config,
    className: 'Gemma3',
    // `Gemma3ForSequenceClassification` is the model that sees images too.
    heads: { ForCausalLM: 'generator', TextForSequenceClassification: 'classifier' },
  },
  gpt2: {
    kind: 'encoder',
    readConfig: readGpt2Config,
    className: 'GPT2',
    modules: gpt2Modules,
    heads: { LMHeadModel: 'generator', ForSequenceClassification: 'classifier', Model: 'embedder' },
  },
  modernbert: {
    kind: 'encoder',
    readConfig: readModernBertConfig,
    className: 'ModernBert',
    modules: modernBertModules,
  },
  magicbox: { kind: 'pointer', className: 'MagicBox' },
};

const decoderHeads: Readonly<Record<string, DecoderHeadName>> = {
  ForSequenceClassification: 'classifier',
  ForCausalLM: 'generator',
};

// What a masked-language model was trained for is of no use here; the encoder in it is.
const encoderHeads: Readonly<Record<string, HeadName>> = {
  ForSequenceClassification: 'classifier',
  ForTokenClassification: 'tagger',
  ForQuestionAnswering: 'extractor',
  Model: 'embedder',
  ForMaskedLM: 'embedder',
};

const pointerHeads: Readonly<Record<string, 'extractor'>> = { ForExtraction: 'extractor' };

const loaders: Readonly<Record<HeadName, string>> = {
  classifier: 'loadClassifier',
  generator: 'loadGenerator',
  tagger: 'loadTagger',
  extractor: 'loadExtractor',
  embedder: 'loadEmbedder',
};

/**
 * The model that a checkpoint's config describes.
 * @param ropeFrequencies `f32` as transformers loads a checkpoint, or rounded to the type that the weights were saved in.
 * @param wantedHead what the caller's task needs; undefined to take what the checkpoint says. An encoder gives hidden states whatever
 * its head is.
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
  const precision = ropeFrequencies === 'f32' ? 'f32' : storedPrecision(config);
  if (family.kind === 'decoder') {
    const head = headOf(config, family, family.heads ?? decoderHeads, () => decoderHeadIn(index));
    requireHead(wantedHead, head);
    return defineDecoder(type, { ...family.readConfig(config), ropePrecision: precision }, head, config, index);
  }
  if (family.kind === 'pointer') {
    requireHead(wantedHead, headOf(config, family, pointerHeads, () => 'extractor'));
    return defineMagicBox(type, config, index, precision);
  }
  const stored = headOf(config, family, family.heads ?? encoderHeads, () => family.heads ? decoderHeadIn(index) : encoderHeadIn(index));
  const head = wantedHead === 'embedder' ? wantedHead : stored;
  requireHead(wantedHead, head);
  return defineEncoder(type, family.readConfig(config, precision), family.modules, head, config, index);
}

function requireHead(wanted: HeadName | undefined, head: HeadName): void {
  if (wanted === undefined || wanted === head) return;
  throw new UnsupportedError(
    'architectures',
    `this checkpoint has ${withArticle(head)} head; ${withArticle(wanted)} was asked for (use ${loaders[head]})`,
  );
}

function withArticle(head: HeadName): string {
  return `${/^[aeiou]/.test(head) ? 'an' : 'a'} ${head}`;
}

/** What the config says the weights were saved in; transformers 5 calls it `dtype`, transformers 4 `torch_dtype`. */
function storedPrecision(config: ConfigReader): RopePrecision {
  const dtype = config.optionalString('dtype') ?? config.optionalString('torch_dtype');
  if (dtype === 'bfloat16') return 'bf16';
  return dtype === 'float16' ? 'f16' : 'f32';
}

/** @param guess the head where the config does not name the architecture. */
function headOf<Head>(
  config: ConfigReader,
  { className }: Family,
  heads: Readonly<Record<string, Head>>,
  guess: () => Head,
): Head {
  const [architecture] = config.optionalStrings('architectures') ?? [];
  if (architecture === undefined) return guess();
  const suffix = architecture.startsWith(className) ? architecture.slice(className.length) : architecture;
  const head = Object.hasOwn(heads, suffix) ? heads[suffix] : undefined;
  if (head !== undefined) return head;
  const known = Object.keys(heads).map((name) => className + name);
  throw new UnsupportedError('architectures', `"${architecture}" is not known; known are ${known.join(', ')}`);
}

function decoderHeadIn({ tensors }: WeightIndex): DecoderHeadName {
  return tensors.has('score.weight') ? 'classifier' : 'generator';
}

/** A classifier and a tagger cannot be told apart by their tensors in every family; the first is by far the more frequent. */
function encoderHeadIn({ tensors }: WeightIndex): HeadName {
  if (tensors.has('qa_outputs.weight')) return 'extractor';
  const isClassifier = tensors.has('classifier.weight') || tensors.has('classifier.out_proj.weight');
  return isClassifier ? 'classifier' : 'embedder';
}
