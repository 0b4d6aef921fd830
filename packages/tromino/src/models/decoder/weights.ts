import type { WeightPart, WeightSpec } from '../../graph/graph.ts';
import type { HeadName } from '../model_definition.ts';
import type { DecoderConfig } from './config.ts';

/** Names of a layer's stacked weights, shared by the weight list and the graph. */
export function layerWeightNames(layer: number): Readonly<Record<LayerWeight, string>> {
  const prefix = `model.layers.${layer}`;
  return {
    inputNorm: `${prefix}.input_layernorm.weight`,
    queryKeyValue: `${prefix}.self_attn.qkv_proj.weight`,
    queryKeyValueBias: `${prefix}.self_attn.qkv_proj.bias`,
    queryNorm: `${prefix}.self_attn.q_norm.weight`,
    keyNorm: `${prefix}.self_attn.k_norm.weight`,
    output: `${prefix}.self_attn.o_proj.weight`,
    outputBias: `${prefix}.self_attn.o_proj.bias`,
    postAttentionNorm: `${prefix}.post_attention_layernorm.weight`,
    gateUp: `${prefix}.mlp.gate_up_proj.weight`,
    gateUpBias: `${prefix}.mlp.gate_up_proj.bias`,
    down: `${prefix}.mlp.down_proj.weight`,
    downBias: `${prefix}.mlp.down_proj.bias`,
  };
}

type LayerWeight =
  | 'inputNorm'
  | 'queryKeyValue'
  | 'queryKeyValueBias'
  | 'queryNorm'
  | 'keyNorm'
  | 'output'
  | 'outputBias'
  | 'postAttentionNorm'
  | 'gateUp'
  | 'gateUpBias'
  | 'down'
  | 'downBias';

/** Name of the token embedding, which a tied head shares. */
export const embeddingWeight = 'model.embed_tokens.weight';
/** Name of the norm behind the last layer. */
export const finalNormWeight = 'model.norm.weight';

/** The matrix that turns the last hidden state into scores: the classifier's own, the LM head's own, or the embedding again. */
export function headWeight(head: HeadName, headIsEmbedding: boolean): string {
  if (head === 'classifier') return 'score.weight';
  return headIsEmbedding ? embeddingWeight : 'lm_head.weight';
}

/** Every weight of the model, with the checkpoint's tensors that make it up and the shapes they must have. */
export function decoderWeights(
  config: DecoderConfig,
  head: HeadName,
  headRows: number,
  headIsEmbedding: boolean,
): WeightSpec[] {
  const weights = [
    single(embeddingWeight, [config.vocabularySize, config.hidden]),
    ...Array.from({ length: config.numLayers }, (_, layer) => layerWeights(config, layer)).flat(),
    single(finalNormWeight, [config.hidden]),
  ];
  const headName = headWeight(head, headIsEmbedding);
  if (headName !== embeddingWeight) weights.push(single(headName, [headRows, config.hidden]));
  return weights;
}

function layerWeights(config: DecoderConfig, layer: number): WeightSpec[] {
  const { hidden, inner, headDim } = config;
  const names = layerWeightNames(layer);
  const prefix = `model.layers.${layer}`;
  const queries = config.numHeads * headDim;
  const keys = config.numKeyHeads * headDim;
  const attention = [
    ['q_proj', queries],
    ['k_proj', keys],
    ['v_proj', keys],
  ] as const;
  const mlp = [
    ['gate_proj', inner],
    ['up_proj', inner],
  ] as const;
  const matrixParts = (module: string, parts: readonly (readonly [string, number])[]): WeightPart[] =>
    parts.map(([part, rows]) => ({ tensor: `${prefix}.${module}.${part}.weight`, shape: [rows, hidden] }));
  const biasParts = (module: string, parts: readonly (readonly [string, number])[]): WeightPart[] =>
    parts.map(([part, rows]) => ({ tensor: `${prefix}.${module}.${part}.bias`, shape: [rows] }));

  const weights = [
    single(names.inputNorm, [hidden]),
    stacked(names.queryKeyValue, matrixParts('self_attn', attention)),
    single(names.output, [hidden, queries]),
    single(names.postAttentionNorm, [hidden]),
    stacked(names.gateUp, matrixParts('mlp', mlp)),
    single(names.down, [hidden, inner]),
  ];
  if (config.queryKeyValueBias) weights.push(stacked(names.queryKeyValueBias, biasParts('self_attn', attention)));
  if (config.outputBias) weights.push(single(names.outputBias, [hidden]));
  if (config.mlpBias) {
    weights.push(stacked(names.gateUpBias, biasParts('mlp', mlp)), single(names.downBias, [hidden]));
  }
  if (config.queryKeyNorm) weights.push(single(names.queryNorm, [headDim]), single(names.keyNorm, [headDim]));
  return weights;
}

function single(name: string, shape: readonly number[]): WeightSpec {
  return { name, shape, parts: [{ tensor: name, shape }] };
}

function stacked(name: string, parts: readonly WeightPart[]): WeightSpec {
  const rows = parts.reduce((sum, part) => sum + (part.shape[0] ?? 0), 0);
  return { name, shape: [rows, ...(parts[0]?.shape.slice(1) ?? [])], parts };
}
