import type { OpContract } from '../op.ts';

/** Sizes of a gather: `numRows` rows of `width` elements are taken from `sourceRows` rows. */
export type GatherRowsProblem = Readonly<{ numRows: number; width: number; sourceRows: number }>;

/**
 * Copies chosen rows, such as the last token of every sequence before the head.
 *
 * **Shapes** x[sourceRows, width], rows u32[numRows] → out[numRows, width].
 *
 * **Numerics** exact.
 */
export const gatherRowsContract: OpContract<GatherRowsProblem> = {
  op: 'gather_rows',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'rows', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_rows', type: 'u32' },
    { name: 'width', type: 'u32' },
  ],
  tolerance: { absolute: 0, relative: 0 },
  paramValues: (p) => [p.numRows, p.width],
  operandLengths: (p) => ({ x: p.sourceRows * p.width, rows: p.numRows, out: p.numRows * p.width }),
};
