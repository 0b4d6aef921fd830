import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { UnsupportedError } from '../../util/errors.ts';
import { activationFromConfig } from '../activations.ts';
import type { EncoderConfig, EncoderModules } from '../encoder/config.ts';
import { readEncoderSizes } from '../encoder/read_config.ts';

/** Learned positions, norms before each projection, a causal mask, and matrices that lie on their side. **Source** transformers, GPT2Config. */
export function readGpt2Config(config: ConfigReader): EncoderConfig {
  const hidden = config.integer('n_embd', { default: 768, min: 1 });
  const sizes = readEncoderSizes(config, {
    vocab: ['vocab_size', 50_257],
    hidden: ['n_embd', 768],
    inner: ['n_inner', 4 * hidden],
    layers: ['n_layer', 12],
    heads: ['n_head', 12],
  });
  for (const field of ['scale_attn_by_inverse_layer_idx', 'add_cross_attention']) {
    if (config.boolean(field, { default: false })) throw new UnsupportedError(field, 'only false is supported');
  }
  const activation = config.string('activation_function', { default: 'gelu_new' });
  return {
    ...sizes,
    attentionScale: config.boolean('scale_attn_weights', { default: true }) ? sizes.attentionScale : 1,
    numTypes: 0,
    positions: {
      kind: 'learned',
      tableSize: config.integer('n_positions', { default: 1024, min: 1 }),
      paddingId: undefined,
    },
    relative: undefined,
    normEpsilon: config.number('layer_norm_epsilon', { default: 1e-5, min: 0 }),
    isCausal: true,
    normPlacement: 'pre',
    activation: activationFromConfig('activation_function', activation),
    isGated: false,
    storesTransposed: true,
    attentionBias: true,
    mlpBias: true,
    normBias: true,
    windows: Array.from({ length: sizes.numLayers }, () => 0),
    classifierPooling: 'last',
    readsFirstColumn: false,
    tieWordEmbeddings: config.boolean('tie_word_embeddings', { default: true }),
    defaultStopTokens: [50_256],
    heads: {
      classifier: { transform: undefined, scores: 'score', hasBias: false },
      generator: { transform: undefined, scores: 'lm_head', hasBias: false },
    },
  };
}

/** What GPT-2's checkpoints call their modules. */
export const gpt2Modules: EncoderModules = {
  prefix: 'transformer.',
  words: 'wte',
  types: '',
  positions: 'wpe',
  embeddingNorm: undefined,
  layer: (layer) => {
    const module = `h.${layer}`;
    return {
      queryKeyValue: [`${module}.attn.c_attn`],
      output: `${module}.attn.c_proj`,
      attentionNorm: `${module}.ln_1`,
      up: `${module}.mlp.c_fc`,
      down: `${module}.mlp.c_proj`,
      mlpNorm: `${module}.ln_2`,
    };
  },
  finalNorm: 'ln_f',
};
