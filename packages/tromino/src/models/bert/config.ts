import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { activationFromConfig } from '../activations.ts';
import type { EncoderConfig, EncoderModules } from '../encoder/config.ts';
import { bertSizeFields, readEncoderSizes, requireAbsoluteEncoder } from '../encoder/read_config.ts';

/** **Source** transformers, BertConfig, BertPooler. */
export function readBertConfig(config: ConfigReader): EncoderConfig {
  requireAbsoluteEncoder(config);
  const sizes = readEncoderSizes(config, bertSizeFields);
  return {
    ...sizes,
    numTypes: config.integer('type_vocab_size', { default: 2, min: 1 }),
    positions: {
      kind: 'learned',
      tableSize: config.integer('max_position_embeddings', { default: 512, min: 1 }),
      paddingId: undefined,
    },
    relative: undefined,
    normEpsilon: config.number('layer_norm_eps', { default: 1e-12, min: 0 }),
    isCausal: false,
    normPlacement: 'post',
    activation: activationFromConfig('hidden_act', config.string('hidden_act', { default: 'gelu' })),
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
        transform: { module: 'pooler.dense', isInBody: true, hasBias: true, activation: 'tanh', norm: undefined },
        scores: 'classifier', hasBias: true,
      },
      tagger: { transform: undefined, scores: 'classifier', hasBias: true },
      extractor: { transform: undefined, scores: 'qa_outputs', hasBias: true },
    },
  };
}

/** The names of BERT's modules, which its relatives keep. */
export function bertModules(prefix: string): EncoderModules {
  return {
    prefix,
    words: 'embeddings.word_embeddings',
    types: 'embeddings.token_type_embeddings',
    positions: 'embeddings.position_embeddings',
    embeddingNorm: 'embeddings.LayerNorm',
    layer: (layer) => {
      const module = `encoder.layer.${layer}`;
      return {
        queryKeyValue: ['query', 'key', 'value'].map((part) => `${module}.attention.self.${part}`),
        output: `${module}.attention.output.dense`,
        attentionNorm: `${module}.attention.output.LayerNorm`,
        up: `${module}.intermediate.dense`,
        down: `${module}.output.dense`,
        mlpNorm: `${module}.output.LayerNorm`,
      };
    },
    finalNorm: undefined,
  };
}
