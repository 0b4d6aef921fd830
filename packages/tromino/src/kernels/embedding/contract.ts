import type { OpContract } from '../op.ts';

/** Sizes of an embedding lookup. The table may be a chunk of the vocabulary: rows `firstRow` to `firstRow + numRows - 1`. */
export type EmbeddingProblem = Readonly<{
  numTokens: number;
  hidden: number;
  firstRow: number;
  numRows: number;
  /** Factor on every element; 1 for a copy. */
  scale: number;
  weightDtype: 'f32';
}>;

/**
 * Copies the table row of each id, or scales it.
 *
 * **Shapes** table[numRows, hidden], ids u32[numTokens] → out[numTokens, hidden]. An id outside the chunk leaves its row of `out` as
 * it was, so a table too large for one binding is looked up chunk by chunk.
 *
 * **Numerics** exact with a scale of 1, else one product, rounded.
 */
export const embeddingContract: OpContract<EmbeddingProblem> = {
  op: 'embedding',
  operands: [
    { name: 'table', role: 'input', dtype: 'f32' },
    { name: 'ids', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'hidden', type: 'u32' },
    { name: 'first_row', type: 'u32' },
    { name: 'num_rows', type: 'u32' },
    { name: 'scale', type: 'f32' },
  ],
  tolerance: { absolute: 1e-37, relative: 0 },
  paramValues: (p) => [p.numTokens, p.hidden, p.firstRow, p.numRows, p.scale],
  operandLengths: (p) => ({ table: p.numRows * p.hidden, ids: p.numTokens, out: p.numTokens * p.hidden }),
  rowCut: {
    numRows: (p) => p.numRows,
    granule: () => 1,
    layouts: () => ({ table: 'rows' }),
    slice: (p, firstRow, numRows) => ({ ...p, firstRow: p.firstRow + firstRow, numRows }),
  },
};
