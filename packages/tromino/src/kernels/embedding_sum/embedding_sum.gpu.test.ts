import fc from 'fast-check';
import { ops, type EmbeddingSumProblem } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const chunk: EmbeddingSumProblem = {
  numTokens: 40,
  hidden: 67,
  firstRow: 10,
  numRows: 20,
  numTypes: 2,
  tablePositions: 50,
};

describeKernel<EmbeddingSumProblem>({
  definition: ops.embedding_sum,
  problems: fc.record({
    numTokens: sizes(40),
    hidden: sizes(200),
    firstRow: fc.constantFrom(0, 0, 7, 100),
    numRows: sizes(60),
    numTypes: fc.constantFrom(0, 1, 2),
    tablePositions: fc.constantFrom(0, 1, 40),
  }),
  // Ids reach below and beyond the chunk: the rows of `out` that belong to them must stay as they were.
  inputs: ({ numTokens, hidden, firstRow, numRows, numTypes, tablePositions }, random, kind) => ({
    table: random.floats(numRows * hidden, kind),
    ids: random.indices(numTokens, firstRow + numRows + 3),
    ...(numTypes > 0
      ? { type_table: random.floats(numTypes * hidden, kind), types: random.indices(numTokens, numTypes) }
      : {}),
    ...(tablePositions > 0
      ? {
          position_table: random.floats(tablePositions * hidden, kind),
          positions: random.indices(numTokens, tablePositions),
        }
      : {}),
  }),
  always: [chunk, { ...chunk, numTokens: 65_540, hidden: 3 }],
  folding: [{ ...chunk, numTokens: 60 }],
  twins: [
    {
      variant: 'embedding_sum_f32_f32',
      from: 'row >= params.num_rows',
      to: 'row > params.num_rows',
      problem: chunk,
    },
    { variant: 'embedding_sum_f32_f32', from: 'types[token] *', to: '0u *', problem: chunk },
    { variant: 'embedding_sum_f32_f32', from: 'positions[token] *', to: 'token *', problem: chunk },
  ],
});
