import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig } from '../decoder/read_config.ts';
import type { QuestionTokens } from '../model_definition.ts';

/** BitNet's layers with every token seeing its whole row, and a head that points from questions at tokens. */
export interface MagicBoxConfig {
  readonly body: DecoderConfig;
  /** Numbers of each vector that the head makes of a token. */
  readonly pointerSize: number;
  readonly questionTokens: QuestionTokens;
}

/** @throws FormatError for a config that leaves out what only it can say, names tokens that the vocabulary does not have, or one twice. */
export function readMagicBoxConfig(config: ConfigReader): MagicBoxConfig {
  const body = readDecoderConfig(
    config,
    {
      vocab_size: 4096,
      hidden_size: 256,
      intermediate_size: 768,
      num_hidden_layers: 16,
      num_attention_heads: 4,
      num_key_value_heads: undefined,
      head_dim: undefined,
      hidden_act: 'relu2',
      max_position_embeddings: 256,
      rms_norm_eps: 1e-5,
      rope_theta: 10_000,
      eos_token_id: undefined,
    },
    (numLayers) => ({
      queryKeyValueBias: false,
      outputBias: false,
      mlpBias: false,
      queryKeyNorm: false,
      subNorms: true,
      isCausal: false,
      windows: Array.from({ length: numLayers }, () => 0),
    }),
  );
  return {
    body,
    pointerSize: config.integer('pointer_size', { default: 128, min: 1 }),
    questionTokens: readQuestionTokens(config, body.vocabularySize),
  };
}

/** A row is taken apart at these tokens, so none can stand for another. */
function readQuestionTokens(config: ConfigReader, vocabularySize: number): QuestionTokens {
  const fieldOf = new Map<number, string>();
  const token = (field: string): number => {
    const id = config.integer(field, { min: 0, max: vocabularySize - 1 });
    const other = fieldOf.get(id);
    if (other !== undefined) config.fail(field, `another token than that of ${other}`);
    fieldOf.set(id, field);
    return id;
  };
  return {
    first: token('cls_token_id'),
    marker: token('question_token_id'),
    separator: token('sep_token_id'),
  };
}
