import type { OpContract } from '../op.ts';

/**
 * Sizes and flags of `out = a · weightᵀ (+ bias) (+ residual)`. The weight may be a chunk of `n` rows of a larger matrix: it fills
 * columns `columnOffset` to `columnOffset + n - 1` of the `numColumns` columns that `out`, `bias` and `residual` have.
 */
export type MatmulProblem = Readonly<{
  m: number;
  n: number;
  k: number;
  columnOffset: number;
  numColumns: number;
  hasBias: boolean;
  hasResidual: boolean;
  weightDtype: 'f32';
}>;

/**
 * Multiplies activations by the transpose of a weight as checkpoints store it, and may add a bias and a residual.
 *
 * **Shapes** a[m, k], weight[n, k], bias[numColumns], residual[m, numColumns] → out[m, numColumns], only the chunk's columns.
 *
 * **Numerics** one f32 accumulator per output, from 0: `acc = fma(a, w, acc)` for k ascending; then `acc + bias`; then
 * `residual + that`. The tolerance is for operands of magnitude about 1 and k up to some thousands.
 */
export const matmulContract: OpContract<MatmulProblem> = {
  op: 'matmul',
  operands: [
    { name: 'a', role: 'input', dtype: 'f32' },
    { name: 'weight', role: 'input', dtype: 'f32' },
    { name: 'bias', role: 'input', dtype: 'f32', optional: true },
    { name: 'residual', role: 'input', dtype: 'f32', optional: true },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'm', type: 'u32' },
    { name: 'n', type: 'u32' },
    { name: 'k', type: 'u32' },
    { name: 'column_offset', type: 'u32' },
    { name: 'num_columns', type: 'u32' },
    { name: 'has_bias', type: 'u32' },
    { name: 'has_residual', type: 'u32' },
  ],
  tolerance: { absolute: 1e-5, relative: 1e-5 },
  paramValues: (p) => [p.m, p.n, p.k, p.columnOffset, p.numColumns, Number(p.hasBias), Number(p.hasResidual)],
  operandLengths: (p) => ({
    a: p.m * p.k,
    weight: p.n * p.k,
    ...(p.hasBias ? { bias: p.numColumns } : {}),
    ...(p.hasResidual ? { residual: p.m * p.numColumns } : {}),
    out: p.m * p.numColumns,
  }),
  rowCut: {
    numRows: (p) => p.n,
    granule: () => 1,
    layouts: () => ({ weight: 'rows' }),
    slice: (p, firstRow, n) => ({ ...p, n, columnOffset: p.columnOffset + firstRow }),
  },
};
