import type { OpContract } from '../op.ts';
import { tokenFields } from '../tokens.ts';

/**
 * Sizes of a rotary position embedding. `numHeads` counts query and key heads together; `rowStride` may exceed
 * `numHeads * headDim` (values may stand behind them and are not copied); `numPositions` is the table's height.
 */
export type RopeProblem = Readonly<{
  numTokens: number;
  rowStride: number;
  numHeads: number;
  headDim: number;
  rotaryDim: number;
  numPositions: number;
}>;

/**
 * Rotates the first `rotaryDim` elements of each head by its token's position, in half-split layout (element i is paired with
 * i + rotaryDim / 2, transformers' `rotate_half`); the rest of the head is copied.
 *
 * **Shapes** x[numTokens, rowStride], table[numPositions, rotaryDim / 2, 2] holding (cos, sin), tokens u32[numTokens, 4] →
 * out[numTokens, numHeads * headDim].
 *
 * **Numerics** lower half `lower * cos - upper * sin`, upper half `upper * cos + lower * sin`, each product and sum rounded: the reference's bits.
 *
 * **Source** Su et al., "RoFormer", 2021, in the layout of GPT-NeoX.
 */
export const ropeContract: OpContract<RopeProblem> = {
  op: 'rope',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'table', role: 'input', dtype: 'f32' },
    { name: 'tokens', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'row_stride', type: 'u32' },
    { name: 'num_heads', type: 'u32' },
    { name: 'head_dim', type: 'u32' },
    { name: 'rotary_dim', type: 'u32' },
  ],
  tolerance: { absolute: 1e-37, relative: 0 },
  paramValues: (p) => [p.numTokens, p.rowStride, p.numHeads, p.headDim, p.rotaryDim],
  operandLengths: (p) => ({
    x: p.numTokens * p.rowStride,
    table: p.numPositions * p.rotaryDim,
    tokens: p.numTokens * tokenFields.count,
    out: p.numTokens * p.numHeads * p.headDim,
  }),
};
