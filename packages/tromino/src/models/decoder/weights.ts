import type { HeadName } from '../model_definition.ts';
import type { Linear } from '../linear.ts';
import { tiedLinear, WeightList } from '../weight_list.ts';
import type { DecoderConfig } from './config.ts';

/** Names and projections of one layer. */
export interface DecoderLayer {
  readonly inputNorm: string;
  readonly queryKeyValue: Linear;
  /** Norms over each query and key head, where the family has them. */
  readonly queryNorm: string | undefined;
  readonly keyNorm: string | undefined;
  /** Norm before the output projection, where the family has one. */
  readonly attentionSubNorm: string | undefined;
  readonly output: Linear;
  readonly postAttentionNorm: string;
  readonly gateUp: Linear;
  /** Norm before the down projection, where the family has one. */
  readonly mlpSubNorm: string | undefined;
  readonly down: Linear;
}

/** All weights of a decoder, as its graph uses them. */
export interface DecoderWeights {
  readonly embedding: string;
  readonly layers: readonly DecoderLayer[];
  readonly finalNorm: string;
  /** From the last hidden state to scores: the classifier's own matrix, the LM head's own, or the embedding again. */
  readonly head: Linear;
}

/**
 * Declares every weight of the model in `list`, with the checkpoint's names.
 * @param headRows classes, or tokens of the vocabulary.
 * @param headIsEmbedding whether the head's matrix is the embedding.
 */
export function declareDecoderWeights(
  list: WeightList,
  config: DecoderConfig,
  head: HeadName,
  headRows: number,
  headIsEmbedding: boolean,
): DecoderWeights {
  const { hidden, numLayers, vocabularySize } = config;
  const embedding = list.tensor('model.embed_tokens.weight', [vocabularySize, hidden]);
  return {
    embedding,
    layers: Array.from({ length: numLayers }, (_, layer) => declareLayer(list, config, layer)),
    finalNorm: list.tensor('model.norm.weight', [hidden]),
    head: headIsEmbedding
      ? tiedLinear(embedding, hidden, headRows)
      : list.linear(head === 'classifier' ? 'score' : 'lm_head', hidden, headRows, false),
  };
}

function declareLayer(list: WeightList, config: DecoderConfig, layer: number): DecoderLayer {
  const { hidden, inner, headDim, queryKeyNorm, subNorms } = config;
  const prefix = `model.layers.${layer}`;
  const attention = `${prefix}.self_attn`;
  const queries = config.numHeads * headDim;
  const keys = config.numKeyHeads * headDim;
  return {
    inputNorm: list.tensor(`${prefix}.input_layernorm.weight`, [hidden]),
    queryKeyValue: list.stackedLinear(
      `${attention}.qkv_proj`,
      hidden,
      [
        { module: `${attention}.q_proj`, rows: queries },
        { module: `${attention}.k_proj`, rows: keys },
        { module: `${attention}.v_proj`, rows: keys },
      ],
      config.queryKeyValueBias,
    ),
    queryNorm: queryKeyNorm ? list.tensor(`${attention}.q_norm.weight`, [headDim]) : undefined,
    keyNorm: queryKeyNorm ? list.tensor(`${attention}.k_norm.weight`, [headDim]) : undefined,
    attentionSubNorm: subNorms ? list.tensor(`${attention}.attn_sub_norm.weight`, [queries]) : undefined,
    output: list.linear(`${attention}.o_proj`, queries, hidden, config.outputBias),
    postAttentionNorm: list.tensor(`${prefix}.post_attention_layernorm.weight`, [hidden]),
    gateUp: list.stackedLinear(
      `${prefix}.mlp.gate_up_proj`,
      hidden,
      [
        { module: `${prefix}.mlp.gate_proj`, rows: inner },
        { module: `${prefix}.mlp.up_proj`, rows: inner },
      ],
      config.mlpBias,
    ),
    mlpSubNorm: subNorms ? list.tensor(`${prefix}.mlp.ffn_sub_norm.weight`, [inner]) : undefined,
    down: list.linear(`${prefix}.mlp.down_proj`, inner, hidden, config.mlpBias),
  };
}
