import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { UnsupportedError } from '../../util/errors.ts';
import { activationFromConfig } from '../activations.ts';
import { bertModules } from '../bert/config.ts';
import type { EncoderConfig, EncoderModules, RelativePositions } from '../encoder/config.ts';
import { readEncoderSizes, requireAbsoluteEncoder, type EncoderSizes } from '../encoder/read_config.ts';

/**
 * BERT whose attention scores add up from content and relative position; versions 2 and 3 have the same configuration.
 * **Source** transformers, DebertaV2Config, DisentangledSelfAttention, ContextPooler.
 */
export function readDebertaV2Config(config: ConfigReader): EncoderConfig {
  requireAbsoluteEncoder(config);
  const sizes = readEncoderSizes(config, {
    vocab: ['vocab_size', 128_100],
    hidden: ['hidden_size', 1536],
    inner: ['intermediate_size', 6144],
    layers: ['num_hidden_layers', 24],
    heads: ['num_attention_heads', 24],
  });
  requirePlainLayers(config, sizes);
  const maxPositions = config.integer('max_position_embeddings', { default: 512, min: 1 });
  const terms = readTerms(config);
  const activation = (field: string): EncoderConfig['activation'] =>
    activationFromConfig(field, config.string(field, { default: 'gelu' }));
  return {
    ...sizes,
    // One product, and one more for each of the position's terms, are scaled as if they were one vector's.
    attentionScale: ((sizes.hidden / sizes.numHeads) * (1 + terms.size)) ** -0.5,
    numTypes: config.integer('type_vocab_size', { default: 0, min: 0 }),
    positions: config.boolean('position_biased_input', { default: true })
      ? { kind: 'learned', tableSize: maxPositions, paddingId: undefined }
      : { kind: 'none', maxPositions },
    relative: readRelativePositions(config, maxPositions, terms),
    normEpsilon: config.number('layer_norm_eps', { default: 1e-7, min: 0 }),
    isCausal: false,
    normPlacement: 'post',
    activation: activation('hidden_act'),
    isGated: false,
    storesTransposed: false,
    attentionBias: true,
    mlpBias: true,
    normBias: true,
    windows: Array.from({ length: sizes.numLayers }, () => 0),
    classifierPooling: 'first',
    // There, a padded column averages over all columns, padding included: nothing that a caller could mean.
    readsFirstColumn: false,
    tieWordEmbeddings: false,
    defaultStopTokens: [],
    heads: {
      classifier: {
        transform: {
          module: 'pooler.dense',
          isInBody: false,
          hasBias: true,
          activation: activation('pooler_hidden_act'),
          norm: undefined,
        },
        scores: 'classifier', hasBias: true,
      },
      tagger: { transform: undefined, scores: 'classifier', hasBias: true },
      extractor: { transform: undefined, scores: 'qa_outputs', hasBias: true },
    },
  };
}

/** @throws UnsupportedError for what the largest of the second version's models have beside. */
function requirePlainLayers(config: ConfigReader, { hidden }: EncoderSizes): void {
  if (config.integer('conv_kernel_size', { default: 0, min: 0 }) > 0)
    throw new UnsupportedError('conv_kernel_size', 'a convolution beside the first layer is not supported');
  for (const field of ['embedding_size', 'pooler_hidden_size', 'attention_head_size']) {
    const usual = field === 'attention_head_size' ? undefined : hidden;
    const found = config.optionalInteger(field);
    if (found !== undefined && found !== usual)
      throw new UnsupportedError(field, `only what hidden_size gives is supported, found ${found}`);
  }
}

/** `c2p` and `p2c`, as a list or joined by `|`. */
function readTerms(config: ConfigReader): ReadonlySet<string> {
  const joined = config.json['pos_att_type'];
  const names =
    typeof joined === 'string' ? joined.toLowerCase().split('|') : (config.optionalStrings('pos_att_type') ?? []);
  const terms = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  for (const term of terms) {
    if (term !== 'c2p' && term !== 'p2c')
      throw new UnsupportedError('pos_att_type', `"${term}" is not known; known are c2p, p2c`);
  }
  return terms;
}

function readRelativePositions(
  config: ConfigReader,
  maxPositions: number,
  terms: ReadonlySet<string>,
): RelativePositions | undefined {
  if (!config.boolean('relative_attention', { default: false }) || terms.size === 0) return undefined;
  const given = config.integer('max_relative_positions', { default: -1 });
  const maxDistance = given < 1 ? maxPositions : given;
  const numBuckets = config.integer('position_buckets', { default: -1 });
  const norms = config.string('norm_rel_ebd', { default: 'none' }).toLowerCase().split('|');
  return {
    kind: 'disentangled',
    buckets: numBuckets > 0 ? { span: numBuckets, maxDistance } : { span: maxDistance, maxDistance: undefined },
    contentToPosition: terms.has('c2p'),
    positionToContent: terms.has('p2c'),
    sharesProjections: config.boolean('share_att_key', { default: false }),
    isNormed: norms.some((norm) => norm.trim() === 'layer_norm'),
  };
}

const shared = bertModules('deberta.');

/** What DeBERTa's checkpoints call their modules. */
export const debertaV2Modules: EncoderModules = {
  ...shared,
  layer: (layer) => {
    const module = `encoder.layer.${layer}.attention.self`;
    return {
      ...shared.layer(layer),
      queryKeyValue: ['query_proj', 'key_proj', 'value_proj'].map((part) => `${module}.${part}`),
      positionQuery: `${module}.pos_query_proj`,
      positionKey: `${module}.pos_key_proj`,
    };
  },
  relative: 'encoder.rel_embeddings',
  relativeNorm: 'encoder.LayerNorm',
};
