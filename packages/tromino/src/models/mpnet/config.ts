import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { readBertConfig } from '../bert/config.ts';
import type { EncoderConfig, EncoderModules } from '../encoder/config.ts';
import { bertSizeFields, readEncoderSizes } from '../encoder/read_config.ts';
import { numBiasBuckets } from '../relative_positions.ts';

/** BERT with a bias by distance and RoBERTa's positions and head. The padding id is always 1. **Source** transformers, MPNetConfig. */
export function readMpnetConfig(config: ConfigReader): EncoderConfig {
  const bert = readBertConfig(config);
  return {
    ...bert,
    ...readEncoderSizes(config, { ...bertSizeFields, vocab: ['vocab_size', 30_527] }),
    numTypes: 0,
    positions: {
      kind: 'learned',
      tableSize: config.integer('max_position_embeddings', { default: 512, min: 1 }),
      paddingId: 1,
    },
    relative: {
      kind: 'bias',
      numBuckets: config.integer('relative_attention_num_buckets', {
        default: numBiasBuckets,
        min: numBiasBuckets,
      }),
    },
    heads: {
      ...bert.heads,
      classifier: {
        transform: {
          module: 'classifier.dense',
          isInBody: false,
          hasBias: true,
          activation: 'tanh',
          norm: undefined,
        },
        scores: 'classifier.out_proj',
        hasBias: true,
      },
    },
  };
}

/** What MPNet's checkpoints call their modules. */
export const mpnetModules: EncoderModules = {
  prefix: 'mpnet.',
  words: 'embeddings.word_embeddings',
  types: '',
  positions: 'embeddings.position_embeddings',
  embeddingNorm: 'embeddings.LayerNorm',
  layer: (layer) => {
    const module = `encoder.layer.${layer}`;
    return {
      queryKeyValue: ['q', 'k', 'v'].map((part) => `${module}.attention.attn.${part}`),
      output: `${module}.attention.attn.o`,
      attentionNorm: `${module}.attention.LayerNorm`,
      up: `${module}.intermediate.dense`,
      down: `${module}.output.dense`,
      mlpNorm: `${module}.output.LayerNorm`,
    };
  },
  finalNorm: undefined,
  relative: 'encoder.relative_attention_bias',
};
