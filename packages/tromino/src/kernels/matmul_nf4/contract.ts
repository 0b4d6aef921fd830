import type { OpContract } from '../op.ts';

/**
 * Sizes and flags of `out = a · Wᵀ (+ bias) (+ residual)` where W is stored in NF4. The matrix fills columns `columnOffset` to
 * `columnOffset + n - 1` of the `numColumns` columns that `out`, `bias` and `residual` have. `blockSize`, a power of two from 32, is the
 * number of weights that share a scale.
 */
export type MatmulNf4Problem = Readonly<{
  m: number;
  n: number;
  k: number;
  columnOffset: number;
  numColumns: number;
  hasBias: boolean;
  hasResidual: boolean;
  blockSize: number;
}>;

/** Codes in a word. */
const codesPerWord = 8;

/** Words that hold the codes of an n x k matrix: each row begins with a word of its own. */
export function nf4Words(n: number, k: number): number {
  return n * Math.ceil(k / codesPerWord);
}

/** Scales of an n x k matrix: blocks run on from row to row, and the last may be short. */
export function nf4Scales(n: number, k: number, blockSize: number): number {
  return Math.ceil((n * k) / blockSize);
}

/**
 * Whether rows are whole blocks. Then the scales are laid out as the codes are, block by block of all rows; else they stay in the order of
 * the flat weights, since a block belongs to two rows.
 */
export function hasScalesByRow(k: number, blockSize: number): boolean {
  return k % blockSize === 0;
}

/** The fewest rows that are whole blocks together: a power of two, as block sizes are. */
export function rowsOfWholeBlocks(k: number, blockSize: number): number {
  let rows = 1;
  while ((rows * k) % blockSize !== 0) rows *= 2;
  return rows;
}

/**
 * Multiplies activations by the transpose of a weight in NF4, and may add a bias and a residual.
 *
 * **Shapes** a[m, k], codes u32[ceil(k / 8), n], scales[k / blockSize, n] or, where rows are no whole blocks, [ceil(n · k / blockSize)],
 * quant_map[16], bias[numColumns], residual[m, numColumns] → out[m, numColumns], only the matrix's columns. Word [g, c] of the codes holds
 * elements 8g to 8g + 7 of row c of W, the first in its lowest four bits: neighbouring columns lie side by side.
 *
 * **Numerics** a weight is `quant_map[code] · scale`, rounded to f32; from there on the contract is `matmul`'s: one f32 accumulator per
 * output, from 0, `acc = fma(a, w, acc)` for k ascending, then `acc + bias`, then `residual + that`. So the result has the bits that
 * `matmul` gives with the same weights as f32.
 */
export const matmulNf4Contract: OpContract<MatmulNf4Problem> = {
  op: 'matmul_nf4',
  operands: [
    { name: 'a', role: 'input', dtype: 'f32' },
    { name: 'codes', role: 'input', dtype: 'u32' },
    { name: 'scales', role: 'input', dtype: 'f32' },
    { name: 'quant_map', role: 'input', dtype: 'f32' },
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
    { name: 'block_shift', type: 'u32' },
    { name: 'scales_by_row', type: 'u32' },
  ],
  tolerance: { absolute: 1e-5, relative: 1e-5 },
  paramValues: (p) => [
    p.m,
    p.n,
    p.k,
    p.columnOffset,
    p.numColumns,
    Number(p.hasBias),
    Number(p.hasResidual),
    Math.log2(p.blockSize),
    Number(hasScalesByRow(p.k, p.blockSize)),
  ],
  operandLengths: (p) => ({
    a: p.m * p.k,
    codes: nf4Words(p.n, p.k),
    scales: nf4Scales(p.n, p.k, p.blockSize),
    quant_map: 16,
    ...(p.hasBias ? { bias: p.numColumns } : {}),
    ...(p.hasResidual ? { residual: p.m * p.numColumns } : {}),
    out: p.m * p.numColumns,
  }),
  rowCut: {
    numRows: (p) => p.n,
    granule: (p) => rowsOfWholeBlocks(p.k, p.blockSize),
    layouts: (p) => ({ codes: 'lines', scales: hasScalesByRow(p.k, p.blockSize) ? 'lines' : 'rows' }),
    slice: (p, firstRow, n) => ({ ...p, n, columnOffset: p.columnOffset + firstRow }),
  },
};
