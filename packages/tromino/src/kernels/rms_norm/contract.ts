import type { OpContract } from '../op.ts';

/** Sizes of a root-mean-square normalisation over rows. */
export type RmsNormProblem = Readonly<{ rows: number; hidden: number; epsilon: number }>;

/**
 * Divides each row by the root of its mean square, then multiplies by the weight: `x * (1 / sqrt(mean(x²) + epsilon)) * weight`.
 *
 * **Shapes** x[rows, hidden], weight[hidden] → out[rows, hidden].
 *
 * **Numerics** The sum of squares is taken by 64 lanes: lane l adds the squares of elements l, l + 64, … in order; then a halving tree
 * adds lane l + 32 to lane l, l + 16, … 1. Every product is rounded, and mean and inverse root are those of `portable.ts`. Squares past the f32 range make the row zero, as they do in transformers.
 *
 * **Source** Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
 */
export const rmsNormContract: OpContract<RmsNormProblem> = {
  op: 'rms_norm',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'weight', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'rows', type: 'u32' },
    { name: 'hidden', type: 'u32' },
    { name: 'epsilon', type: 'f32' },
  ],
  tolerance: { absolute: 1e-37, relative: 2e-6 },
  paramValues: (p) => [p.rows, p.hidden, p.epsilon],
  operandLengths: (p) => ({ x: p.rows * p.hidden, weight: p.hidden, out: p.rows * p.hidden }),
};
