import fc from 'fast-check';
import { ops, type EmbeddingProblem } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const chunk: EmbeddingProblem = {
  numTokens: 40,
  hidden: 67,
  firstRow: 10,
  numRows: 20,
  scale: 1,
  weightDtype: 'f32',
};

describeKernel<EmbeddingProblem>({
  definition: ops.embedding,
  problems: fc.record({
    numTokens: sizes(40),
    hidden: sizes(200),
    firstRow: fc.constantFrom(0, 0, 7, 100),
    numRows: sizes(60),
    scale: fc.constantFrom(1, 1, 8, 27.5),
    weightDtype: fc.constant('f32' as const),
  }),
  // Ids reach below and beyond the chunk: the rows of `out` that belong to them must stay as they were.
  inputs: ({ numTokens, hidden, firstRow, numRows }, random, kind) => ({
    table: random.floats(numRows * hidden, kind),
    ids: random.indices(numTokens, firstRow + numRows + 3),
  }),
  always: [chunk, { ...chunk, numTokens: 65_540, hidden: 3 }],
  folding: [{ ...chunk, numTokens: 60 }],
  twins: [
    {
      variant: 'embedding_f32_f32',
      from: 'row >= params.num_rows',
      to: 'row > params.num_rows',
      problem: chunk,
    },
    {
      variant: 'embedding_f32_f32',
      from: 'value * params.scale',
      to: 'value',
      problem: { ...chunk, scale: 3 },
    },
    { variant: 'embedding_f32_f32', from: 'ids[token] - params.first_row', to: 'ids[token]', problem: chunk },
  ],
});
