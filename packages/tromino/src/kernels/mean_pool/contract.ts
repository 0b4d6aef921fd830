import type { OpContract } from '../op.ts';
import { tokenFields } from '../tokens.ts';

/** Sizes of a mean over the tokens of each row. */
export type MeanPoolProblem = Readonly<{ numTokens: number; numRows: number; width: number }>;

/**
 * Averages the vectors of each row's tokens.
 *
 * **Shapes** x[numTokens, width], tokens u32[numTokens, 4], rows u32[numRows] (any token of each row, whose entry in `tokens` says where
 * the row begins and ends) → out[numRows, width].
 *
 * **Numerics** eight lanes: lane l adds tokens l, l + 8, … of the row in order; then a halving tree adds lane l + 4 to lane l, l + 2, 1;
 * the sum is divided by the number of tokens. The tolerance is for rows up to some hundreds of tokens.
 */
export const meanPoolContract: OpContract<MeanPoolProblem> = {
  op: 'mean_pool',
  operands: [
    { name: 'x', role: 'input', dtype: 'f32' },
    { name: 'tokens', role: 'input', dtype: 'u32' },
    { name: 'rows', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_rows', type: 'u32' },
    { name: 'width', type: 'u32' },
  ],
  tolerance: { absolute: 1e-37, relative: 2e-6 },
  paramValues: (p) => [p.numRows, p.width],
  operandLengths: (p) => ({
    x: p.numTokens * p.width,
    tokens: p.numTokens * tokenFields.count,
    rows: p.numRows,
    out: p.numRows * p.width,
  }),
};
