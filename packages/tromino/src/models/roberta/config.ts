import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { readBertConfig } from '../bert/config.ts';
import type { EncoderConfig } from '../encoder/config.ts';
import { bertSizeFields, readEncoderSizes } from '../encoder/read_config.ts';

/** Positions count from behind the padding id; the classifier has a projection of its own. **Source** transformers, RobertaConfig. */
export function readRobertaConfig(config: ConfigReader): EncoderConfig {
  return withRobertaTraits(config, 50_265);
}

/** RoBERTa with another vocabulary. **Source** transformers, XLMRobertaConfig. */
export function readXlmRobertaConfig(config: ConfigReader): EncoderConfig {
  return withRobertaTraits(config, 30_522);
}

function withRobertaTraits(config: ConfigReader, defaultVocabulary: number): EncoderConfig {
  const bert = readBertConfig(config);
  return {
    ...bert,
    ...readEncoderSizes(config, { ...bertSizeFields, vocab: ['vocab_size', defaultVocabulary] }),
    positions: {
      kind: 'learned',
      tableSize: config.integer('max_position_embeddings', { default: 512, min: 1 }),
      paddingId: config.integer('pad_token_id', { default: 1, min: 0 }),
    },
    heads: {
      ...bert.heads,
      classifier: {
        transform: { module: 'classifier.dense', isInBody: false, hasBias: true, activation: 'tanh', norm: undefined },
        scores: 'classifier.out_proj',
        hasBias: true,
      },
    },
  };
}
