import type { OpContract } from '../op.ts';
import { tokenFields } from '../tokens.ts';

/**
 * Sizes of attention that knows how far a key is from its query. Strides are the widths of a row in each operand, offsets the column at
 * which head 0 begins, all in elements, so that fused projections are read in place. `numPositions` is the highest place within a row plus
 * one, and `maxRowTokens` the longest row's length, at least.
 */
export type RelativeAttentionProblem = Readonly<{
  numTokens: number;
  numHeads: number;
  headDim: number;
  scale: number;
  queryStride: number;
  queryOffset: number;
  keyStride: number;
  keyOffset: number;
  valueStride: number;
  valueOffset: number;
  maxRowTokens: number;
  numPositions: number;
  numBuckets: number;
  /** Adds a learned number for each bucket and head. */
  hasBias: boolean;
  /** Adds the query's product with a key of the bucket. */
  hasBucketKeys: boolean;
  /** Adds the key's product with a query of the bucket. */
  hasBucketQueries: boolean;
  bucketStride: number;
  bucketKeyOffset: number;
  bucketQueryOffset: number;
}>;

/**
 * Softmax attention of each query over its whole row, where the score also depends on the bucket of the distance between query and key.
 *
 * **Shapes** q[numTokens, queryStride], k[numTokens, keyStride], v[numTokens, valueStride], tokens u32[numTokens, 4],
 * buckets u32[2 * numPositions - 1] (the bucket of each distance, that of `1 - numPositions` first; query minus key),
 * bias[numBuckets, numHeads], bucket_states[numBuckets, bucketStride] → out[numTokens, numHeads * headDim].
 *
 * **Numerics** score = clamp(`fma(scale, (q·k + q·bucket key) + k·bucket query, bias)`, ±1.7e38), each dot product by `fma` over headDim in
 * order, absent terms left out. Everything behind the scores is as in `attention`: the row's maximum first, e = exp(score - maximum), the
 * sum of e by 64 lanes and a halving tree, out = (sum by `fma` over keys in order of e * v) / sum. A query without keys gets zeros.
 *
 * **Source** He et al., "DeBERTa", 2021; the bias by buckets: Raffel et al., "T5", 2020, as MPNet has it.
 */
export const relativeAttentionContract: OpContract<RelativeAttentionProblem> = {
  op: 'relative_attention',
  operands: [
    { name: 'q', role: 'input', dtype: 'f32' },
    { name: 'k', role: 'input', dtype: 'f32' },
    { name: 'v', role: 'input', dtype: 'f32' },
    { name: 'tokens', role: 'input', dtype: 'u32' },
    { name: 'buckets', role: 'input', dtype: 'u32' },
    { name: 'bias', role: 'input', dtype: 'f32', optional: true },
    { name: 'bucket_states', role: 'input', dtype: 'f32', optional: true },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'num_heads', type: 'u32' },
    { name: 'head_dim', type: 'u32' },
    { name: 'scale', type: 'f32' },
    { name: 'query_stride', type: 'u32' },
    { name: 'query_offset', type: 'u32' },
    { name: 'key_stride', type: 'u32' },
    { name: 'key_offset', type: 'u32' },
    { name: 'value_stride', type: 'u32' },
    { name: 'value_offset', type: 'u32' },
    { name: 'num_positions', type: 'u32' },
    { name: 'has_bias', type: 'u32' },
    { name: 'has_bucket_keys', type: 'u32' },
    { name: 'has_bucket_queries', type: 'u32' },
    { name: 'bucket_stride', type: 'u32' },
    { name: 'bucket_key_offset', type: 'u32' },
    { name: 'bucket_query_offset', type: 'u32' },
  ],
  tolerance: { absolute: 1e-6, relative: 1e-5 },
  paramValues: (p) => [
    p.numTokens,
    p.numHeads,
    p.headDim,
    p.scale,
    p.queryStride,
    p.queryOffset,
    p.keyStride,
    p.keyOffset,
    p.valueStride,
    p.valueOffset,
    p.numPositions,
    Number(p.hasBias),
    Number(p.hasBucketKeys),
    Number(p.hasBucketQueries),
    p.bucketStride,
    p.bucketKeyOffset,
    p.bucketQueryOffset,
  ],
  operandLengths: (p) => ({
    q: p.numTokens * p.queryStride,
    k: p.numTokens * p.keyStride,
    v: p.numTokens * p.valueStride,
    tokens: p.numTokens * tokenFields.count,
    buckets: 2 * p.numPositions - 1,
    ...(p.hasBias ? { bias: p.numBuckets * p.numHeads } : {}),
    ...(p.hasBucketKeys || p.hasBucketQueries ? { bucket_states: p.numBuckets * p.bucketStride } : {}),
    out: p.numTokens * p.numHeads * p.headDim,
  }),
};
