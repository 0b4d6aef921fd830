import fc from 'fast-check';
import { it } from 'vitest';
import { nf4Map } from '../../tensor/nf4.ts';
import { ops, type EmbeddingNf4Problem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { randomNf4Table } from '../testing/nf4_table.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.embedding_nf4;
const chunk: EmbeddingNf4Problem = {
  numTokens: 40,
  hidden: 67,
  firstRow: 10,
  numRows: 20,
  scale: 1,
  blockSize: 32,
};
const wholeBlocks = { ...chunk, hidden: 128, blockSize: 64 };

describeKernel<EmbeddingNf4Problem>({
  definition: ops.embedding_nf4,
  problems: fc.record({
    numTokens: sizes(40),
    hidden: sizes(200),
    firstRow: fc.constantFrom(0, 0, 7, 100),
    numRows: sizes(60),
    scale: fc.constantFrom(1, 1, 8, 27.5),
    blockSize: fc.constantFrom(32, 64, 128, 4096),
  }),
  // Ids reach below and beyond the chunk: the rows of `out` that belong to them must stay as they were.
  inputs: (problem, random, kind) => {
    const { codes, scales } = contract.operandLengths(problem);
    return {
      codes: random.indices(codes ?? 0, 2 ** 32),
      scales: random.floats(scales ?? 0, kind),
      quant_map: Float32Array.from(nf4Map),
      ids: random.indices(problem.numTokens, problem.firstRow + problem.numRows + 3),
    };
  },
  always: [chunk, wholeBlocks, { ...chunk, numTokens: 65_540, hidden: 3 }],
  folding: [{ ...chunk, numTokens: 60 }],
  twins: [
    {
      variant: 'embedding_nf4_f32',
      from: 'row >= params.num_rows',
      to: 'row > params.num_rows',
      problem: chunk,
    },
    { variant: 'embedding_nf4_f32', from: '(i & 7u)', to: '(i & 3u)', problem: chunk },
    {
      variant: 'embedding_nf4_f32',
      from: 'value * params.scale',
      to: 'value',
      problem: { ...chunk, scale: 3 },
    },
    {
      variant: 'embedding_nf4_f32',
      from: 'params.num_rows + row];\n  }',
      to: 'params.num_rows];\n  }',
      problem: wholeBlocks,
    },
  ],
});

it.each([
  [64, 32, 1],
  [40, 64, 1],
  [96, 64, 27.5],
  [576, 64, 8],
])(
  'gives the bits of embedding with the same table as f32, %i wide in blocks of %i, times %f',
  async (hidden, blockSize, scale) => {
    const random = new Random(hidden);
    const numRows = 33;
    const { packed, table } = randomNf4Table(random, numRows, hidden, blockSize);
    const shared = { ids: random.indices(50, numRows), out: new Float32Array(50 * hidden).fill(NaN) };
    const problem = { numTokens: 50, hidden, firstRow: 0, numRows, scale };
    const [dense] = ops.embedding.variants;
    if (!dense) throw new Error('the dense lookup is gone');
    const expected = await runVariant(
      ops.embedding.contract,
      dense,
      { ...problem, weightDtype: 'f32' as const },
      { ...shared, table },
    );
    for (const variant of variants)
      expectSameBits(
        await runVariant(contract, variant, { ...problem, blockSize }, { ...shared, ...packed }),
        expected,
      );
  },
);
