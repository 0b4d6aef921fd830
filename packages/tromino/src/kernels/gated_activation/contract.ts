import type { Activation } from '../activation/functions.ts';
import type { OpContract } from '../op.ts';

/** Sizes of a gated activation. */
export type GatedActivationProblem = Readonly<{ rows: number; inner: number; activation: Activation }>;

/**
 * `activation(gate) * up`, where gate and up stand side by side as one fused projection gives them.
 *
 * **Shapes** x[rows, 2 * inner] = (gate | up) → out[rows, inner].
 *
 * **Numerics** no value of the gate overflows on the way: sigmoids are taken from exp(-|x|), and the normal distribution of `gelu`
 * from exp(-x² / 2) times a polynomial fitted to an absolute error of a few 1e-8.
 *
 * **Source** Shazeer, "GLU Variants Improve Transformer", 2020; Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016.
 */
export const gatedActivationContract: OpContract<GatedActivationProblem> = {
  op: 'gated_activation',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'rows', type: 'u32' },
    { name: 'inner', type: 'u32' },
  ],
  tolerance: { absolute: 1e-7, relative: 1e-6 },
  paramValues: (p) => [p.rows, p.inner],
  operandLengths: (p) => ({ x: p.rows * 2 * p.inner, out: p.rows * p.inner }),
};
