import type { OpContract } from '../op.ts';
import { quantizedRowWords } from '../quantize_activations/contract.ts';

/** Sizes of a normalisation of rows that are then rounded to int8. */
export type RmsNormQuantizeProblem = Readonly<{ rows: number; k: number; epsilon: number }>;

/**
 * Normalises each row as `rms_norm` does and rounds what that gives to int8 as `quantize_activations` does: a ternary projection reads no
 * floats, so the normed row need not be written.
 *
 * **Shapes** x[rows, k], weight[k] → out[rows, words of a quantised row].
 *
 * **Numerics** the same operations in the same order as the two ops one after the other, each rounded to f32: their bits on the device, and those of
 * the reference, wherever the tests ran. WGSL does not promise that, as it lets a compiler reassociate the products of a normed value with the scale.
 */
export const rmsNormQuantizeContract: OpContract<RmsNormQuantizeProblem> = {
  op: 'rms_norm_quantize',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'weight', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'u32' },
  ],
  params: [
    { name: 'rows', type: 'u32' },
    { name: 'k', type: 'u32' },
    { name: 'epsilon', type: 'f32' },
  ],
  tolerance: { absolute: 0, relative: 0 },
  paramValues: (p) => [p.rows, p.k, p.epsilon],
  operandLengths: (p) => ({ x: p.rows * p.k, weight: p.k, out: p.rows * quantizedRowWords(p.k) }),
};
