import type { HeadName } from '../model_definition.ts';
import type { Linear } from '../linear.ts';
import { tiedLinear, type EmbeddingTable } from '../embedding.ts';
import type { WeightList } from '../weight_list.ts';
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
  /** Norm of what the attention gives, where the family has one. */
  readonly attentionOutputNorm: string | undefined;
  /** Norm before the gated layer. */
  readonly mlpNorm: string;
  readonly gateUp: Linear;
  /** Norm before the down projection, where the family has one. */
  readonly mlpSubNorm: string | undefined;
  readonly down: Linear;
  /** Norm of what the gated layer gives, where the family has one. */
  readonly mlpOutputNorm: string | undefined;
}

/** The weights of a decoder without its head, as its graph uses them. */
export interface DecoderBodyWeights {
  readonly embedding: EmbeddingTable;
  readonly layers: readonly DecoderLayer[];
  readonly finalNorm: string;
}

/** All weights of a decoder. */
export interface DecoderWeights extends DecoderBodyWeights {
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
  const { hidden } = config;
  const body = declareDecoderBody(list, config);
  return {
    ...body,
    head: headIsEmbedding
      ? tiedLinear(body.embedding)
      : list.linear(head === 'classifier' ? 'score' : 'lm_head', hidden, headRows, false),
  };
}

/** Declares the weights of everything before the head in `list`, with the checkpoint's names. */
export function declareDecoderBody(list: WeightList, config: DecoderConfig): DecoderBodyWeights {
  const { hidden, numLayers, vocabularySize } = config;
  return {
    embedding: list.table('model.embed_tokens', vocabularySize, hidden),
    layers: Array.from({ length: numLayers }, (_, layer) => declareLayer(list, config, layer)),
    finalNorm: declareNorm(list, config, 'model.norm', hidden),
  };
}

function declareLayer(list: WeightList, config: DecoderConfig, layer: number): DecoderLayer {
  const { hidden, inner, headDim, queryKeyNorm, subNorms, outputNorms } = config;
  const norm = (module: string, size: number): string => declareNorm(list, config, module, size);
  const prefix = `model.layers.${layer}`;
  const attention = `${prefix}.self_attn`;
  const queries = config.numHeads * headDim;
  const keys = config.numKeyHeads * headDim;
  return {
    inputNorm: norm(`${prefix}.input_layernorm`, hidden),
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
    queryNorm: queryKeyNorm ? norm(`${attention}.q_norm`, headDim) : undefined,
    keyNorm: queryKeyNorm ? norm(`${attention}.k_norm`, headDim) : undefined,
    attentionSubNorm: subNorms ? norm(`${attention}.attn_sub_norm`, queries) : undefined,
    output: list.linear(`${attention}.o_proj`, queries, hidden, config.outputBias),
    // What llama calls the norm behind the attention is the one before the gated layer; with norms of outputs it is what it says.
    attentionOutputNorm: outputNorms ? norm(`${prefix}.post_attention_layernorm`, hidden) : undefined,
    mlpNorm: norm(`${prefix}.${outputNorms ? 'pre_feedforward_layernorm' : 'post_attention_layernorm'}`, hidden),
    gateUp: list.stackedLinear(
      `${prefix}.mlp.gate_up_proj`,
      hidden,
      [
        { module: `${prefix}.mlp.gate_proj`, rows: inner },
        { module: `${prefix}.mlp.up_proj`, rows: inner },
      ],
      config.mlpBias,
    ),
    mlpSubNorm: subNorms ? norm(`${prefix}.mlp.ffn_sub_norm`, inner) : undefined,
    down: list.linear(`${prefix}.mlp.down_proj`, inner, hidden, config.mlpBias),
    mlpOutputNorm: outputNorms ? norm(`${prefix}.post_feedforward_layernorm`, hidden) : undefined,
  };
}

function declareNorm(list: WeightList, { normsAddOne }: DecoderConfig, module: string, size: number): string {
  const name = `${module}.weight`;
  return normsAddOne ? list.tensorPlusOne(name, [size]) : list.tensor(name, [size]);
}
