import type { OpContract } from '../op.ts';

/**
 * Sizes of an encoder's embedding. The word table may be a chunk of the vocabulary: rows `firstRow` to `firstRow + numRows - 1`. `numTypes`
 * and `tablePositions` are the heights of the other two tables, 0 where there is none.
 */
export type EmbeddingSumProblem = Readonly<{
  numTokens: number;
  hidden: number;
  firstRow: number;
  numRows: number;
  numTypes: number;
  tablePositions: number;
}>;

/**
 * Adds the rows that each token has in up to three tables: of its word, of its segment (token type), of its position.
 *
 * **Shapes** table[numRows, hidden], ids u32[numTokens], type_table[numTypes, hidden], types u32[numTokens],
 * position_table[tablePositions, hidden], positions u32[numTokens] → out[numTokens, hidden]. An id outside the chunk leaves its row of
 * `out` as it was, so a table too large for one binding is looked up chunk by chunk.
 *
 * **Numerics** `(word + type) + position`, the order of additions that transformers has.
 *
 * **Source** Devlin et al., "BERT", 2018.
 */
export const embeddingSumContract: OpContract<EmbeddingSumProblem> = {
  op: 'embedding_sum',
  operands: [
    { name: 'table', role: 'input', dtype: 'f32' },
    { name: 'ids', role: 'input', dtype: 'u32' },
    { name: 'type_table', role: 'input', dtype: 'f32', optional: true },
    { name: 'types', role: 'input', dtype: 'u32', optional: true },
    { name: 'position_table', role: 'input', dtype: 'f32', optional: true },
    { name: 'positions', role: 'input', dtype: 'u32', optional: true },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'hidden', type: 'u32' },
    { name: 'first_row', type: 'u32' },
    { name: 'num_rows', type: 'u32' },
    { name: 'num_types', type: 'u32' },
    { name: 'table_positions', type: 'u32' },
  ],
  tolerance: { absolute: 1e-37, relative: 2e-7 },
  paramValues: (p) => [p.numTokens, p.hidden, p.firstRow, p.numRows, p.numTypes, p.tablePositions],
  operandLengths: (p) => ({
    table: p.numRows * p.hidden,
    ids: p.numTokens,
    ...(p.numTypes > 0 ? { type_table: p.numTypes * p.hidden, types: p.numTokens } : {}),
    ...(p.tablePositions > 0 ? { position_table: p.tablePositions * p.hidden, positions: p.numTokens } : {}),
    out: p.numTokens * p.hidden,
  }),
  rowCut: {
    numRows: (p) => p.numRows,
    granule: () => 1,
    layouts: () => ({ table: 'rows' }),
    slice: (p, firstRow, numRows) => ({ ...p, firstRow: p.firstRow + firstRow, numRows }),
  },
};
