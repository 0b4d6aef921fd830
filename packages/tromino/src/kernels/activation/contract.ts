import type { OpContract } from '../op.ts';
import type { Activation } from './functions.ts';

/** Size of an activation. */
export type ActivationProblem = Readonly<{ length: number; activation: Activation }>;

/**
 * Applies an activation function to every element.
 *
 * **Shapes** x[length] → out[length].
 *
 * **Numerics** no value overflows on the way: sigmoids are taken from exp(-|x|), the normal distribution of `gelu` from exp(-x² / 2)
 * times a polynomial fitted to an absolute error of a few 1e-8, and `tanh` from exp(-2|x|) or, below 0.5, from its series.
 *
 * **Source** Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 */
export const activationContract: OpContract<ActivationProblem> = {
  op: 'activation',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [{ name: 'length', type: 'u32' }],
  tolerance: { absolute: 1e-7, relative: 1e-6 },
  paramValues: (p) => [p.length],
  operandLengths: (p) => ({ x: p.length, out: p.length }),
};
