import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { FormatError, UnsupportedError } from '../../util/errors.ts';
import { mostLayers } from '../shared_config.ts';

/** What a config calls the sizes of an encoder, and what its family's configuration class takes for those left out. */
export interface EncoderSizeFields {
  readonly vocab: readonly [field: string, fallback: number];
  readonly hidden: readonly [field: string, fallback: number];
  readonly inner: readonly [field: string, fallback: number];
  readonly layers: readonly [field: string, fallback: number];
  readonly heads: readonly [field: string, fallback: number];
}

/** Sizes that every encoder has. */
export interface EncoderSizes {
  readonly vocabularySize: number;
  readonly hidden: number;
  readonly inner: number;
  readonly numLayers: number;
  readonly numHeads: number;
  /** 1 / √(size of a head). */
  readonly attentionScale: number;
}

/** BERT's own names and sizes, which most of its relatives keep. **Source** transformers, BertConfig. */
export const bertSizeFields: EncoderSizeFields = {
  vocab: ['vocab_size', 30_522],
  hidden: ['hidden_size', 768],
  inner: ['intermediate_size', 3072],
  layers: ['num_hidden_layers', 12],
  heads: ['num_attention_heads', 12],
};

/** @throws FormatError for sizes that cannot go together. */
export function readEncoderSizes(config: ConfigReader, fields: EncoderSizeFields): EncoderSizes {
  const size = ([field, fallback]: readonly [string, number], max?: number): number =>
    config.integer(field, { default: fallback, min: 1, max });
  const hidden = size(fields.hidden);
  const numHeads = size(fields.heads);
  if (hidden % numHeads !== 0) {
    throw new FormatError(
      config.file,
      `${fields.hidden[0]}: expected a multiple of ${fields.heads[0]} (${numHeads}), found ${hidden}`,
    );
  }
  return {
    vocabularySize: size(fields.vocab),
    hidden,
    inner: size(fields.inner),
    numLayers: size(fields.layers, mostLayers),
    numHeads,
    attentionScale: (hidden / numHeads) ** -0.5,
  };
}

/**
 * Positions other than learned ones, and encoders turned into decoders, are other models under the same name.
 * @throws UnsupportedError for either.
 */
export function requireAbsoluteEncoder(config: ConfigReader): void {
  const type = config.string('position_embedding_type', { default: 'absolute' });
  if (type !== 'absolute')
    throw new UnsupportedError('position_embedding_type', `"${type}" is not known; only absolute is`);
  for (const field of ['is_decoder', 'add_cross_attention']) {
    if (config.boolean(field, { default: false })) throw new UnsupportedError(field, 'only encoders are supported');
  }
}
