import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { WeightIndex } from '../../formats/weight_index.ts';
import { FormatError } from '../../util/errors.ts';
import type { HeadName, ModelDefinition } from '../model_definition.ts';
import { readLinearFormats } from '../linear_formats.ts';
import { scoreFunction } from '../shared_config.ts';
import { WeightList } from '../weight_list.ts';
import type { DecoderConfig } from './config.ts';
import { decoderGraph } from './graph.ts';
import { declareDecoderWeights } from './weights.ts';

/** Heads that a decoder may have. */
export type DecoderHeadName = Extract<HeadName, 'classifier' | 'generator'>;

/** A decoder with a classification head or an LM head, from its family's config and the names that the checkpoint holds. */
export function defineDecoder(
  family: string,
  decoder: DecoderConfig,
  head: DecoderHeadName,
  config: ConfigReader,
  index: WeightIndex,
): ModelDefinition {
  const labels = head === 'classifier' ? config.labelNames() : [];
  const scoresPerRow = head === 'classifier' ? labels.length : decoder.vocabularySize;
  const headIsEmbedding = head === 'generator' && tiesHead(decoder.tieWordEmbeddings, index, config);
  const list = new WeightList(readLinearFormats(config, index));
  const weights = declareDecoderWeights(list, decoder, head, scoresPerRow, headIsEmbedding);
  const output = head === 'classifier' ? 'score' : 'lm_head';
  return {
    family,
    head,
    batchRules: {
      vocabularySize: decoder.vocabularySize,
      numTypes: 0,
      positions: { kind: 'from_first_token' },
      maxPositions: decoder.maxPositions,
      readsFirstColumn: false,
    },
    maxTokens: decoder.maxPositions,
    labels,
    scoreFunction: head === 'classifier' ? scoreFunction(config, labels.length) : 'none',
    stopTokens: 'eos_token_id' in config.json ? config.tokenIds('eos_token_id') : decoder.defaultStopTokens,
    numLayers: decoder.numLayers,
    weights: list.specs,
    outputs: [{ name: output, per: 'row', width: scoresPerRow }],
    graph: (batch) => decoderGraph(decoder, list.specs, weights, output, batch),
  };
}

/**
 * Whether scores are taken against the embedding matrix. A head of its own in the files wins even where the config ties them, as
 * transformers 5 loads such a checkpoint (`tie_weights`: both present are not tied).
 * @throws FormatError where the config ties nothing and there is no head: transformers would leave it random.
 */
export function tiesHead(tieWordEmbeddings: boolean, index: WeightIndex, config: ConfigReader): boolean {
  if (index.tensors.has('lm_head.weight')) return false;
  if (tieWordEmbeddings) return true;
  throw new FormatError(
    config.file,
    'tie_word_embeddings is false, but the checkpoint has no tensor lm_head.weight to score tokens with',
  );
}
