import type { OpContract } from '../op.ts';

/** Sizes of a layer normalisation over rows. */
export type LayerNormProblem = Readonly<{ rows: number; hidden: number; epsilon: number; hasBias: boolean }>;

/**
 * Takes each row's mean off, divides by the root of its variance, and scales:
 * `(x - mean) * (1 / sqrt(variance + epsilon)) * weight (+ bias)`. The variance is the mean of the squared differences.
 *
 * **Shapes** x[rows, hidden], weight[hidden], bias[hidden] → out[rows, hidden].
 *
 * **Numerics** Two passes: first the mean, then the squared differences from it, so that a large common value costs no digits. Each sum is
 * taken by 64 lanes: lane l adds elements l, l + 64, … in order (squares by `fma`); then a halving tree adds lane l + 32 to lane l,
 * l + 16, … 1. The result is `fma((x - mean) * scale, weight, bias)`, without a bias the product alone.
 *
 * **Source** Ba, Kiros and Hinton, "Layer Normalization", 2016.
 */
export const layerNormContract: OpContract<LayerNormProblem> = {
  op: 'layer_norm',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'weight', role: 'input', dtype: 'f32' },
    { name: 'bias', role: 'input', dtype: 'f32', optional: true },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'rows', type: 'u32' },
    { name: 'hidden', type: 'u32' },
    { name: 'epsilon', type: 'f32' },
    { name: 'has_bias', type: 'u32' },
  ],
  tolerance: { absolute: 1e-5, relative: 1e-5 },
  paramValues: (p) => [p.rows, p.hidden, p.epsilon, Number(p.hasBias)],
  operandLengths: (p) => ({
    x: p.rows * p.hidden,
    weight: p.hidden,
    ...(p.hasBias ? { bias: p.hidden } : {}),
    out: p.rows * p.hidden,
  }),
};
