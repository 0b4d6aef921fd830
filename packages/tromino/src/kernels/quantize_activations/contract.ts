import type { OpContract } from '../op.ts';

/** Sizes of a quantisation of rows to int8. */
export type QuantizeActivationsProblem = Readonly<{ rows: number; k: number }>;

/** Words before a row's codes: its scale, the sum of its codes, its scale's inverse and one of nothing, so that the codes begin at a whole vec4. */
export const rowHeaderWords = 4;

/** Words of a quantised row: the header, and four codes a word, K filled up to a multiple of 16 with zeros. */
export function quantizedRowWords(k: number): number {
  return rowHeaderWords + 4 * Math.ceil(k / 16);
}

/**
 * Rounds each row to int8 codes with a scale of its own: `scale = 127 / max(max |x|, 1e-5)`, `code = clamp(round(x * scale), -128, 127)`.
 * What stands for x is `code / scale`, computed as `code * inverse` with `inverse = max(max |x|, 1e-5) / 127`.
 *
 * **Shapes** x[rows, k] → out[rows, 4 + 4 ceil(k / 16)] as (scale's bits, sum of the codes, inverse's bits, 0, codes four a word, lowest byte first).
 *
 * **Numerics** f32, ties to even. Maximum and integer sum do not depend on their order, and quotients are those of `portable.ts`: the bits are
 * the reference's. The maximum is taken of bits: a NaN in a row makes its scale NaN, and with it whatever is computed from the row.
 *
 * **Source** transformers, integrations/bitnet.py, `ActQuant` and `BitLinear.activation_quant`.
 */
export const quantizeActivationsContract: OpContract<QuantizeActivationsProblem> = {
  op: 'quantize_activations',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'u32' },
  ],
  params: [
    { name: 'rows', type: 'u32' },
    { name: 'k', type: 'u32' },
  ],
  tolerance: { absolute: 0, relative: 0 },
  paramValues: (p) => [p.rows, p.k],
  operandLengths: (p) => ({ x: p.rows * p.k, out: p.rows * quantizedRowWords(p.k) }),
};
