import type { OpContract } from '../op.ts';
import { tokenFields } from '../tokens.ts';

/**
 * Sizes and mask of attention over a ragged batch. Strides are the widths of a token's row in each operand, offsets the column at
 * which head 0 begins, all in elements, so that a fused projection is read in place. `window` 0 is none. `maxRowTokens` is the
 * longest row's length, at least. `portable` asks for the same bits on every device, for more instructions: what is rounded to int8 behind the
 * attention must not depend on the last digit.
 */
export type AttentionProblem = Readonly<{
  numTokens: number;
  numHeads: number;
  numKeyHeads: number;
  headDim: number;
  scale: number;
  causal: boolean;
  window: number;
  queryStride: number;
  queryOffset: number;
  keyStride: number;
  keyOffset: number;
  valueStride: number;
  valueOffset: number;
  maxRowTokens: number;
  portable: boolean;
}>;

/** Scores are clamped to this magnitude, so that the difference of two is a finite f32. */
export const scoreLimit = 1.7e38;

/**
 * Softmax attention with grouped key heads, each query over its whole row.
 *
 * **Shapes** q[numTokens, queryStride], k[numTokens, keyStride], v[numTokens, valueStride], tokens u32[numTokens, 4] →
 * out[numTokens, numHeads * headDim]. Head h reads key head floor(h / (numHeads / numKeyHeads)).
 *
 * **Mask** The query at token t sees the keys of its own row, up to t if causal, whose position differs from its own by less than
 * `window` (if not 0). A query without an allowed key gets zeros; a masked key contributes nothing, whatever its value row holds.
 *
 * **Numerics** score = clamp(scale * dot, ±1.7e38), the dot product by `fma` over headDim in order; e = exp(score - max of the row);
 * the sum of e is taken by 64 lanes, lane (key - row start) mod 64, in order, then a halving tree 32, 16, … 1; out = (sum by `fma`
 * over keys in order of e * v) / sum. The maximum is of the *whole* row before any exponential is taken: merging chunks by
 * relative weights gives infinity * 0 = NaN for finite scores of ±1e38. A key whose e is 0 contributes nothing. A query that sees a
 * key whose score is NaN gets NaN. Where `portable`, every product is
 * rounded before it is added, the exponential is that of `portable.ts`, and out = sum * (1 / sum of e) with its quotient: the reference's bits.
 *
 * **Source** Vaswani et al., "Attention Is All You Need", 2017; grouped heads: Ainslie et al., 2023.
 */
export const attentionContract: OpContract<AttentionProblem> = {
  op: 'attention',
  operands: [
    { name: 'q', role: 'input', dtype: 'f32' },
    { name: 'k', role: 'input', dtype: 'f32' },
    { name: 'v', role: 'input', dtype: 'f32' },
    { name: 'tokens', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'num_heads', type: 'u32' },
    { name: 'num_key_heads', type: 'u32' },
    { name: 'head_dim', type: 'u32' },
    { name: 'scale', type: 'f32' },
    { name: 'causal', type: 'u32' },
    { name: 'window', type: 'u32' },
    { name: 'query_stride', type: 'u32' },
    { name: 'query_offset', type: 'u32' },
    { name: 'key_stride', type: 'u32' },
    { name: 'key_offset', type: 'u32' },
    { name: 'value_stride', type: 'u32' },
    { name: 'value_offset', type: 'u32' },
  ],
  tolerance: { absolute: 1e-6, relative: 1e-5 },
  paramValues: (p) => [
    p.numTokens,
    p.numHeads,
    p.numKeyHeads,
    p.headDim,
    p.scale,
    Number(p.causal),
    p.window,
    p.queryStride,
    p.queryOffset,
    p.keyStride,
    p.keyOffset,
    p.valueStride,
    p.valueOffset,
  ],
  operandLengths: (p) => ({
    q: p.numTokens * p.queryStride,
    k: p.numTokens * p.keyStride,
    v: p.numTokens * p.valueStride,
    tokens: p.numTokens * tokenFields.count,
    out: p.numTokens * p.numHeads * p.headDim,
  }),
};
