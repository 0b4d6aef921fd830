import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { FormatError, UnsupportedError } from '../../util/errors.ts';
import { activationFromConfig } from '../activations.ts';
import type { EncoderConfig, EncoderModules, EncoderHead } from '../encoder/config.ts';
import { readEncoderSizes } from '../encoder/read_config.ts';
import { layerTypesFromConfig, type LayerType } from '../layer_types.ts';
import { ropesByLayerType, type RopePrecision } from '../rope.ts';

/**
 * Norms before each projection, rotated positions, a gated feed-forward layer, and layers that see their neighbourhood alone between layers
 * that see everything. **Source** transformers, ModernBertConfig, ModernBertModel.
 * @throws FormatError for heads of an odd size, which cannot be rotated.
 */
export function readModernBertConfig(config: ConfigReader, precision: RopePrecision): EncoderConfig {
  const sizes = readEncoderSizes(config, {
    vocab: ['vocab_size', 50_368],
    hidden: ['hidden_size', 768],
    inner: ['intermediate_size', 1152],
    layers: ['num_hidden_layers', 22],
    heads: ['num_attention_heads', 12],
  });
  const { numLayers, hidden, numHeads } = sizes;
  if ((hidden / numHeads) % 2 !== 0) {
    const expected = `an even number for each of num_attention_heads (${numHeads}), as it is rotated`;
    throw new FormatError(config.file, `hidden_size: expected ${expected}, found ${hidden}`);
  }
  const every = config.integer('global_attn_every_n_layers', { default: 3, min: 1 });
  const types = layerTypesFromConfig(config, numLayers, (layer): LayerType =>
    layer % every === 0 ? 'full_attention' : 'sliding_attention',
  );
  const maxPositions = config.integer('max_position_embeddings', { default: 8192, min: 1 });
  const ropes = ropesByLayerType(config, maxPositions, {
    full_attention: config.number('global_rope_theta', { default: 160_000, min: 1e-3 }),
    sliding_attention: config.number('local_rope_theta', { default: 10_000, min: 1e-3 }),
  });
  // The window of `local_attention` positions stands around the token: half of it on either side, and the token itself.
  const window = Math.floor(config.integer('local_attention', { default: 128, min: 1 }) / 2) + 1;
  const pooling = readPooling(config);
  const normBias = config.boolean('norm_bias', { default: false });
  const head: EncoderHead = {
    transform: {
      module: 'head.dense',
      isInBody: false,
      hasBias: config.boolean('classifier_bias', { default: false }),
      activation: activationFromConfig(
        'classifier_activation',
        config.string('classifier_activation', { default: 'gelu' }),
      ),
      norm: 'head.norm',
    },
    scores: 'classifier',
    hasBias: true,
  };
  return {
    ...sizes,
    numTypes: 0,
    positions: { kind: 'rotary', ropes: types.map((type) => ropes[type]), precision, maxPositions },
    relative: undefined,
    normEpsilon: config.number('norm_eps', { default: 1e-5, min: 0 }),
    isCausal: false,
    normPlacement: 'pre',
    activation: activationFromConfig(
      'hidden_activation',
      config.string('hidden_activation', { default: 'gelu' }),
    ),
    isGated: true,
    storesTransposed: false,
    attentionBias: config.boolean('attention_bias', { default: false }),
    mlpBias: config.boolean('mlp_bias', { default: false }),
    normBias,
    windows: types.map((type) => (type === 'sliding_attention' ? window : 0)),
    classifierPooling: pooling,
    readsFirstColumn: pooling === 'first',
    tieWordEmbeddings: false,
    defaultStopTokens: [],
    heads: { classifier: head, tagger: head, extractor: head },
  };
}

function readPooling(config: ConfigReader): EncoderConfig['classifierPooling'] {
  const pooling = config.string('classifier_pooling', { default: 'cls' });
  if (pooling === 'cls') return 'first';
  if (pooling === 'mean') return 'mean';
  throw new UnsupportedError('classifier_pooling', `"${pooling}" is not known; known are cls, mean`);
}

/** What ModernBERT's checkpoints call their modules. The first layer has no norm before its attention: the embedding's is just before it. */
export const modernBertModules: EncoderModules = {
  prefix: 'model.',
  words: 'embeddings.tok_embeddings',
  types: '',
  positions: '',
  embeddingNorm: 'embeddings.norm',
  layer: (layer) => {
    const module = `layers.${layer}`;
    return {
      queryKeyValue: [`${module}.attn.Wqkv`],
      output: `${module}.attn.Wo`,
      attentionNorm: layer === 0 ? undefined : `${module}.attn_norm`,
      up: `${module}.mlp.Wi`,
      down: `${module}.mlp.Wo`,
      mlpNorm: `${module}.mlp_norm`,
    };
  },
  finalNorm: 'final_norm',
};
