import { hasScalesByRow, nf4Scales, nf4Words, rowsOfWholeBlocks } from '../matmul_nf4/contract.ts';
import type { OpContract } from '../op.ts';

/** Sizes of a lookup in a table in NF4, which may be a chunk of the vocabulary: rows `firstRow` to `firstRow + numRows - 1`. */
export type EmbeddingNf4Problem = Readonly<{
  numTokens: number;
  hidden: number;
  firstRow: number;
  numRows: number;
  /** Factor on every element; 1 for none. */
  scale: number;
  /** Weights that share a scale. */
  blockSize: number;
}>;

/**
 * Computes the table row of each id from its codes.
 *
 * **Shapes** codes, scales and quant_map as `matmul_nf4` has them for a matrix of numRows x hidden, so that a head may multiply by the same;
 * ids u32[numTokens] → out[numTokens, hidden]. An id outside the chunk leaves its row of `out` as it was.
 *
 * **Numerics** a weight is `quant_map[code] · scale`, rounded to f32; from there on the contract is `embedding`'s. So the result has the bits
 * that `embedding` gives with the same table as f32.
 */
export const embeddingNf4Contract: OpContract<EmbeddingNf4Problem> = {
  op: 'embedding_nf4',
  operands: [
    { name: 'codes', role: 'input', dtype: 'u32' },
    { name: 'scales', role: 'input', dtype: 'f32' },
    { name: 'quant_map', role: 'input', dtype: 'f32' },
    { name: 'ids', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_tokens', type: 'u32' },
    { name: 'hidden', type: 'u32' },
    { name: 'first_row', type: 'u32' },
    { name: 'num_rows', type: 'u32' },
    { name: 'scale', type: 'f32' },
    { name: 'block_shift', type: 'u32' },
    { name: 'scales_by_row', type: 'u32' },
  ],
  tolerance: { absolute: 1e-37, relative: 0 },
  paramValues: (p) => [
    p.numTokens,
    p.hidden,
    p.firstRow,
    p.numRows,
    p.scale,
    Math.log2(p.blockSize),
    Number(hasScalesByRow(p.hidden, p.blockSize)),
  ],
  operandLengths: (p) => ({
    codes: nf4Words(p.numRows, p.hidden),
    scales: nf4Scales(p.numRows, p.hidden, p.blockSize),
    quant_map: 16,
    ids: p.numTokens,
    out: p.numTokens * p.hidden,
  }),
  rowCut: {
    numRows: (p) => p.numRows,
    granule: (p) => rowsOfWholeBlocks(p.hidden, p.blockSize),
    layouts: (p) => ({ codes: 'lines', scales: hasScalesByRow(p.hidden, p.blockSize) ? 'lines' : 'rows' }),
    slice: (p, firstRow, numRows) => ({ ...p, firstRow: p.firstRow + firstRow, numRows }),
  },
};
