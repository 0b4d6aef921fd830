import { ternaryGroups } from '../../tensor/ternary.ts';
import type { OpContract } from '../op.ts';
import { quantizedRowWords } from '../quantize_activations/contract.ts';

/** Parts that a stack may have at most: each has a scale of its own. */
export const mostTernaryParts = 4;

/**
 * Sizes and flags of a product of int8 rows and a ternary matrix, which may stack up to four of a checkpoint's. It fills columns
 * `columnOffset` to `columnOffset + n - 1` of the `numColumns` columns that `out`, `bias` and `residual` have.
 */
export type MatmulTernaryProblem = Readonly<{
  m: number;
  n: number;
  k: number;
  columnOffset: number;
  numColumns: number;
  numParts: number;
  /** Columns of the first part, of the first two, and of the first three; n where there are not so many. */
  partEnd0: number;
  partEnd1: number;
  partEnd2: number;
  /** Whether a part's scale multiplies its codes, as in transformers' AutoBitLinear, or divides them, as in BitLinear. */
  scaling: 'multiply' | 'divide';
  hasBias: boolean;
  /** Whether the bias is multiplied by the part's scale too. */
  scalesBias: boolean;
  hasResidual: boolean;
}>;

/**
 * Multiplies int8 rows by the transpose of a ternary matrix, in whole numbers, and scales what comes out.
 *
 * **Shapes** a[m, words] as `quantize_activations` gives it, weight[ceil(k / 16), n] as `packTernary` lays it out, scales[numParts],
 * bias[numColumns], residual[m, numColumns] → out[m, numColumns], only the columns from `columnOffset` on.
 *
 * **Numerics** `sum = Σ a · code` in i32, exact in any order: |sum| ≤ 128 k. Then in f32, each sum and product rounded, with the inverse r of the
 * row's scale and the part's scale w, `out = sum · factor + addend`, where factor is `r · w` or `r / w` (the quotient of `portable.ts`) as
 * `scaling` says, and addend is residual + bias, or residual + bias · w where the bias is scaled; what is absent is 0. The bits are the reference's.
 *
 * **Source** Ma et al., "The Era of 1-bit LLMs", 2024; transformers, integrations/bitnet.py, `AutoBitLinear` and `BitLinear`.
 */
export const matmulTernaryContract: OpContract<MatmulTernaryProblem> = {
  op: 'matmul_ternary',
  operands: [
    { name: 'a', role: 'input', dtype: 'u32' },
    { name: 'weight', role: 'input', dtype: 'u32' },
    { name: 'scales', role: 'input', dtype: 'f32' },
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
    { name: 'part_end_0', type: 'u32' },
    { name: 'part_end_1', type: 'u32' },
    { name: 'part_end_2', type: 'u32' },
    { name: 'scale_divides', type: 'u32' },
    { name: 'has_bias', type: 'u32' },
    { name: 'scales_bias', type: 'u32' },
    { name: 'has_residual', type: 'u32' },
  ],
  tolerance: { absolute: 1e-37, relative: 0 },
  paramValues: (p) => [
    p.m,
    p.n,
    p.k,
    p.columnOffset,
    p.numColumns,
    p.partEnd0,
    p.partEnd1,
    p.partEnd2,
    Number(p.scaling === 'divide'),
    Number(p.hasBias),
    Number(p.scalesBias),
    Number(p.hasResidual),
  ],
  operandLengths: (p) => ({
    a: p.m * quantizedRowWords(p.k),
    weight: ternaryGroups(p.k) * p.n,
    scales: p.numParts,
    ...(p.hasBias ? { bias: p.numColumns } : {}),
    ...(p.hasResidual ? { residual: p.m * p.numColumns } : {}),
    out: p.m * p.numColumns,
  }),
  rowCut: {
    numRows: (p) => p.n,
    granule: () => 1,
    layouts: () => ({ weight: 'lines' }),
    slice: (p, firstRow, n) => {
      const end = (partEnd: number): number => Math.min(Math.max(partEnd - firstRow, 0), n);
      const ends = { partEnd0: end(p.partEnd0), partEnd1: end(p.partEnd1), partEnd2: end(p.partEnd2) };
      return { ...p, ...ends, n, columnOffset: p.columnOffset + firstRow };
    },
  },
};

/** `partEnd0` to `partEnd2` of parts with these columns, and their number. */
export function ternaryParts(
  columns: readonly number[],
): Pick<MatmulTernaryProblem, 'numParts' | 'partEnd0' | 'partEnd1' | 'partEnd2'> {
  const endOf = (part: number): number => columns.slice(0, part + 1).reduce((sum, size) => sum + size, 0);
  return { numParts: columns.length, partEnd0: endOf(0), partEnd1: endOf(1), partEnd2: endOf(2) };
}
