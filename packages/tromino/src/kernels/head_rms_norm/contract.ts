import type { OpContract } from '../op.ts';

/** Sizes of the per-head normalisation of queries and keys. `rowStride` is the width of a token's row in `qkv`. */
export type HeadRmsNormProblem = Readonly<{
  numTokens: number;
  rowStride: number;
  numQueryHeads: number;
  numKeyHeads: number;
  headDim: number;
  epsilon: number;
}>;

/**
 * RMS normalisation of every query head and key head of a fused projection, as qwen3 has it.
 *
 * **Shapes** qkv[numTokens, rowStride] with the query heads first and the key heads next (what follows, the values, is not read),
 * q_weight[headDim], k_weight[headDim] → out[numTokens, (numQueryHeads + numKeyHeads) * headDim].
 *
 * **Numerics** per head as `rms_norm`: 64 lanes, then a halving tree.
 */
export const headRmsNormContract: OpContract<HeadRmsNormProblem> = {
  op: 'head_rms_norm',
  operands: [
    { name: 'qkv', role: 'input', dtype: 'f32' },
    { name: 'q_weight', role: 'input', dtype: 'f32' },
    { name: 'k_weight', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'row_stride', type: 'u32' },
    { name: 'num_query_heads', type: 'u32' },
    { name: 'num_key_heads', type: 'u32' },
    { name: 'head_dim', type: 'u32' },
    { name: 'epsilon', type: 'f32' },
  ],
  tolerance: { absolute: 1e-37, relative: 2e-6 },
  paramValues: (p) => [p.numTokens, p.rowStride, p.numQueryHeads, p.numKeyHeads, p.headDim, p.epsilon],
  operandLengths: (p) => ({
    qkv: p.numTokens * p.rowStride,
    q_weight: p.headDim,
    k_weight: p.headDim,
    out: p.numTokens * (p.numQueryHeads + p.numKeyHeads) * p.headDim,
  }),
};
