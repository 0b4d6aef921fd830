import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { activationFromConfig } from '../activations.ts';
import type { EncoderConfig, EncoderModules } from '../encoder/config.ts';
import { readEncoderSizes } from '../encoder/read_config.ts';

/** BERT without token types and pooler, with names of its own. **Source** transformers, DistilBertConfig. */
export function readDistilBertConfig(config: ConfigReader): EncoderConfig {
  const sizes = readEncoderSizes(config, {
    vocab: ['vocab_size', 30_522],
    hidden: ['dim', 768],
    inner: ['hidden_dim', 3072],
    layers: ['n_layers', 6],
    heads: ['n_heads', 12],
  });
  return {
    ...sizes,
    numTypes: 0,
    positions: {
      kind: 'learned',
      tableSize: config.integer('max_position_embeddings', { default: 512, min: 1 }),
      paddingId: undefined,
    },
    relative: undefined,
    normEpsilon: 1e-12,
    isCausal: false,
    normPlacement: 'post',
    activation: activationFromConfig('activation', config.string('activation', { default: 'gelu' })),
    isGated: false,
    storesTransposed: false,
    attentionBias: true,
    mlpBias: true,
    normBias: true,
    windows: Array.from({ length: sizes.numLayers }, () => 0),
    classifierPooling: 'first',
    readsFirstColumn: true,
    tieWordEmbeddings: false,
    defaultStopTokens: [],
    heads: {
      classifier: {
        transform: { module: 'pre_classifier', isInBody: false, hasBias: true, activation: 'relu', norm: undefined },
        scores: 'classifier', hasBias: true,
      },
      tagger: { transform: undefined, scores: 'classifier', hasBias: true },
      extractor: { transform: undefined, scores: 'qa_outputs', hasBias: true },
    },
  };
}

/** What DistilBERT's checkpoints call their modules. */
export const distilBertModules: EncoderModules = {
  prefix: 'distilbert.',
  words: 'embeddings.word_embeddings',
  types: 'embeddings.token_type_embeddings',
  positions: 'embeddings.position_embeddings',
  embeddingNorm: 'embeddings.LayerNorm',
  layer: (layer) => {
    const module = `transformer.layer.${layer}`;
    return {
      queryKeyValue: ['q_lin', 'k_lin', 'v_lin'].map((part) => `${module}.attention.${part}`),
      output: `${module}.attention.out_lin`,
      attentionNorm: `${module}.sa_layer_norm`,
      up: `${module}.ffn.lin1`,
      down: `${module}.ffn.lin2`,
      mlpNorm: `${module}.output_layer_norm`,
    };
  },
  finalNorm: undefined,
};
