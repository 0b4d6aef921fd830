import fc from 'fast-check';
import { ops, tokenFields } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small = { numTokens: 5, rowStride: 120, numHeads: 3, headDim: 24, rotaryDim: 16, numPositions: 11 };

describeKernel({
  definition: ops.rope,
  problems: fc
    .record({
      numTokens: sizes(17),
      beyond: sizes(40),
      numHeads: fc.constantFrom(1, 2, 3, 9),
      headDim: sizes(160),
      rotaryShare: fc.constantFrom(1, 1, 0.5),
      numPositions: sizes(40),
    })
    .map(({ beyond, rotaryShare, ...rest }) => ({
      ...rest,
      rowStride: rest.numHeads * rest.headDim + beyond - 1,
      rotaryDim: Math.floor((rest.headDim * rotaryShare) / 2) * 2,
    }))
    .filter(({ rotaryDim }) => rotaryDim > 0),
  inputs: ({ numTokens, rowStride, rotaryDim, numPositions }, random, kind) => ({
    x: random.floats(numTokens * rowStride, kind),
    table: random.floats(numPositions * rotaryDim),
    // Only the position is read; the other fields may hold anything.
    tokens: random.indices(numTokens * tokenFields.count, numPositions),
  }),
  always: [small, { ...small, numTokens: 21_900, rowStride: 13, headDim: 4, rotaryDim: 2 }],
  folding: [{ ...small, numTokens: 20 }],
  twins: [
    { variant: 'rope_f32', from: 'tokens[token].z', to: 'tokens[token].y', problem: small },
    { variant: 'rope_f32', from: ') - rounded(', to: ') + rounded(', problem: small },
  ],
});
