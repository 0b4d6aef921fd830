import { activationContract, type ActivationProblem } from './activation/contract.ts';
import { activationReference } from './activation/reference.ts';
import { activationVariants } from './activation/variants.ts';
import { addContract, type AddProblem } from './add/contract.ts';
import { addReference } from './add/reference.ts';
import { addVariants } from './add/variants.ts';
import { attentionContract, type AttentionProblem } from './attention/contract.ts';
import { attentionReference } from './attention/reference.ts';
import { attentionVariants } from './attention/variants.ts';
import { embeddingContract, type EmbeddingProblem } from './embedding/contract.ts';
import { embeddingReference } from './embedding/reference.ts';
import { embeddingVariants } from './embedding/variants.ts';
import { embeddingNf4Contract, type EmbeddingNf4Problem } from './embedding_nf4/contract.ts';
import { embeddingNf4Reference } from './embedding_nf4/reference.ts';
import { embeddingNf4Variants } from './embedding_nf4/variants.ts';
import { embeddingSumContract, type EmbeddingSumProblem } from './embedding_sum/contract.ts';
import { embeddingSumReference } from './embedding_sum/reference.ts';
import { embeddingSumVariants } from './embedding_sum/variants.ts';
import { gatedActivationContract, type GatedActivationProblem } from './gated_activation/contract.ts';
import { gatedActivationReference } from './gated_activation/reference.ts';
import { gatedActivationVariants } from './gated_activation/variants.ts';
import { gatherRowsContract, type GatherRowsProblem } from './gather_rows/contract.ts';
import { gatherRowsReference } from './gather_rows/reference.ts';
import { gatherRowsVariants } from './gather_rows/variants.ts';
import { headRmsNormContract, type HeadRmsNormProblem } from './head_rms_norm/contract.ts';
import { headRmsNormReference } from './head_rms_norm/reference.ts';
import { headRmsNormVariants } from './head_rms_norm/variants.ts';
import { layerNormContract, type LayerNormProblem } from './layer_norm/contract.ts';
import { layerNormReference } from './layer_norm/reference.ts';
import { layerNormVariants } from './layer_norm/variants.ts';
import { matmulContract, type MatmulProblem } from './matmul/contract.ts';
import { matmulReference } from './matmul/reference.ts';
import { matmulVariants } from './matmul/variants.ts';
import { matmulNf4Contract, type MatmulNf4Problem } from './matmul_nf4/contract.ts';
import { matmulNf4Reference } from './matmul_nf4/reference.ts';
import { matmulNf4Variants } from './matmul_nf4/variants.ts';
import { meanPoolContract, type MeanPoolProblem } from './mean_pool/contract.ts';
import { meanPoolReference } from './mean_pool/reference.ts';
import { meanPoolVariants } from './mean_pool/variants.ts';
import { matmulTernaryContract, type MatmulTernaryProblem } from './matmul_ternary/contract.ts';
import { matmulTernaryReference } from './matmul_ternary/reference.ts';
import { matmulTernaryVariants } from './matmul_ternary/variants.ts';
import { pointerScoresContract, type PointerScoresProblem } from './pointer_scores/contract.ts';
import { pointerScoresReference } from './pointer_scores/reference.ts';
import { pointerScoresVariants } from './pointer_scores/variants.ts';
import {
  quantizeActivationsContract,
  type QuantizeActivationsProblem,
} from './quantize_activations/contract.ts';
import { quantizeActivationsReference } from './quantize_activations/reference.ts';
import { quantizeActivationsVariants } from './quantize_activations/variants.ts';
import { relativeAttentionContract, type RelativeAttentionProblem } from './relative_attention/contract.ts';
import { relativeAttentionReference } from './relative_attention/reference.ts';
import { relativeAttentionVariants } from './relative_attention/variants.ts';
import { rmsNormContract, type RmsNormProblem } from './rms_norm/contract.ts';
import { rmsNormReference } from './rms_norm/reference.ts';
import { rmsNormVariants } from './rms_norm/variants.ts';
import { rmsNormQuantizeContract, type RmsNormQuantizeProblem } from './rms_norm_quantize/contract.ts';
import { rmsNormQuantizeReference } from './rms_norm_quantize/reference.ts';
import { rmsNormQuantizeVariants } from './rms_norm_quantize/variants.ts';
import { ropeContract, type RopeProblem } from './rope/contract.ts';
import { ropeReference } from './rope/reference.ts';
import { ropeVariants } from './rope/variants.ts';
import { spanSearchContract, type SpanSearchProblem } from './span_search/contract.ts';
import { spanSearchReference } from './span_search/reference.ts';
import { spanSearchVariants } from './span_search/variants.ts';
import type { OpDefinition } from './op.ts';

const embedding: OpDefinition<EmbeddingProblem> = {
  contract: embeddingContract,
  reference: embeddingReference,
  variants: embeddingVariants,
};

const rmsNorm: OpDefinition<RmsNormProblem> = {
  contract: rmsNormContract,
  reference: rmsNormReference,
  variants: rmsNormVariants,
};

const headRmsNorm: OpDefinition<HeadRmsNormProblem> = {
  contract: headRmsNormContract,
  reference: headRmsNormReference,
  variants: headRmsNormVariants,
};

const rope: OpDefinition<RopeProblem> = {
  contract: ropeContract,
  reference: ropeReference,
  variants: ropeVariants,
};

const matmul: OpDefinition<MatmulProblem> = {
  contract: matmulContract,
  reference: matmulReference,
  variants: matmulVariants,
};

const matmulNf4: OpDefinition<MatmulNf4Problem> = {
  contract: matmulNf4Contract,
  reference: matmulNf4Reference,
  variants: matmulNf4Variants,
};

const quantizeActivations: OpDefinition<QuantizeActivationsProblem> = {
  contract: quantizeActivationsContract,
  reference: quantizeActivationsReference,
  variants: quantizeActivationsVariants,
};

const rmsNormQuantize: OpDefinition<RmsNormQuantizeProblem> = {
  contract: rmsNormQuantizeContract,
  reference: rmsNormQuantizeReference,
  variants: rmsNormQuantizeVariants,
};

const matmulTernary: OpDefinition<MatmulTernaryProblem> = {
  contract: matmulTernaryContract,
  reference: matmulTernaryReference,
  variants: matmulTernaryVariants,
};

const attention: OpDefinition<AttentionProblem> = {
  contract: attentionContract,
  reference: attentionReference,
  variants: attentionVariants,
};

const gatedActivation: OpDefinition<GatedActivationProblem> = {
  contract: gatedActivationContract,
  reference: gatedActivationReference,
  variants: gatedActivationVariants,
};

const add: OpDefinition<AddProblem> = {
  contract: addContract,
  reference: addReference,
  variants: addVariants,
};

const gatherRows: OpDefinition<GatherRowsProblem> = {
  contract: gatherRowsContract,
  reference: gatherRowsReference,
  variants: gatherRowsVariants,
};

const activation: OpDefinition<ActivationProblem> = {
  contract: activationContract,
  reference: activationReference,
  variants: activationVariants,
};

const embeddingNf4: OpDefinition<EmbeddingNf4Problem> = {
  contract: embeddingNf4Contract,
  reference: embeddingNf4Reference,
  variants: embeddingNf4Variants,
};

const embeddingSum: OpDefinition<EmbeddingSumProblem> = {
  contract: embeddingSumContract,
  reference: embeddingSumReference,
  variants: embeddingSumVariants,
};

const layerNorm: OpDefinition<LayerNormProblem> = {
  contract: layerNormContract,
  reference: layerNormReference,
  variants: layerNormVariants,
};

const meanPool: OpDefinition<MeanPoolProblem> = {
  contract: meanPoolContract,
  reference: meanPoolReference,
  variants: meanPoolVariants,
};

const pointerScores: OpDefinition<PointerScoresProblem> = {
  contract: pointerScoresContract,
  reference: pointerScoresReference,
  variants: pointerScoresVariants,
};

const spanSearch: OpDefinition<SpanSearchProblem> = {
  contract: spanSearchContract,
  reference: spanSearchReference,
  variants: spanSearchVariants,
};

const relativeAttention: OpDefinition<RelativeAttentionProblem> = {
  contract: relativeAttentionContract,
  reference: relativeAttentionReference,
  variants: relativeAttentionVariants,
};

/** Every op that a graph can use, by name. */
export const ops = {
  embedding,
  rms_norm: rmsNorm,
  head_rms_norm: headRmsNorm,
  rope,
  matmul,
  matmul_nf4: matmulNf4,
  quantize_activations: quantizeActivations,
  rms_norm_quantize: rmsNormQuantize,
  matmul_ternary: matmulTernary,
  attention,
  gated_activation: gatedActivation,
  add,
  gather_rows: gatherRows,
  pointer_scores: pointerScores,
  span_search: spanSearch,
  embedding_nf4: embeddingNf4,
  embedding_sum: embeddingSum,
  layer_norm: layerNorm,
  activation,
  mean_pool: meanPool,
  relative_attention: relativeAttention,
} as const;

/** Name of an op. */
export type OpName = keyof typeof ops;

/** Sizes and flags of one use of the op `Name`. */
export type ProblemOf<Name extends OpName> = Parameters<(typeof ops)[Name]['contract']['paramValues']>[0];

export { activations, type Activation } from './activation/functions.ts';
export * from './caps.ts';
export * from './op.ts';
export * from './tokens.ts';
export type { EmbeddingProblem } from './embedding/contract.ts';
export type { MatmulProblem } from './matmul/contract.ts';
export { nf4Scales, nf4Words, type MatmulNf4Problem } from './matmul_nf4/contract.ts';
export { packNf4Codes, packNf4Scales, type StackedRows } from './matmul_nf4/pack.ts';
export { mostTernaryParts, ternaryParts, type MatmulTernaryProblem } from './matmul_ternary/contract.ts';
export { quantizedRowWords, type QuantizeActivationsProblem } from './quantize_activations/contract.ts';
export type { RmsNormQuantizeProblem } from './rms_norm_quantize/contract.ts';
export type { AttentionProblem } from './attention/contract.ts';
export type { ActivationProblem } from './activation/contract.ts';
export type { EmbeddingNf4Problem } from './embedding_nf4/contract.ts';
export type { EmbeddingSumProblem } from './embedding_sum/contract.ts';
export type { LayerNormProblem } from './layer_norm/contract.ts';
export type { RelativeAttentionProblem } from './relative_attention/contract.ts';
export type { MeanPoolProblem } from './mean_pool/contract.ts';
export type { GatedActivationProblem } from './gated_activation/contract.ts';
export { questionFields } from './pointer_scores/contract.ts';
export {
  boundaryFields,
  contextFields,
  spanFields,
  spanRowLength,
  type SpanSearchProblem,
} from './span_search/contract.ts';
