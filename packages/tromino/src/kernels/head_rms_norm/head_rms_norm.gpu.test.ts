import fc from 'fast-check';
import { ops } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small = { numTokens: 3, rowStride: 130, numQueryHeads: 3, numKeyHeads: 1, headDim: 24, epsilon: 1e-5 };

describeKernel({
  definition: ops.head_rms_norm,
  problems: fc
    .record({
      numTokens: sizes(17),
      beyond: sizes(40),
      numQueryHeads: fc.constantFrom(1, 2, 3, 6),
      numKeyHeads: fc.constantFrom(1, 2, 3),
      headDim: sizes(160),
      epsilon: fc.constantFrom(1e-5, 1e-6),
    })
    .map(({ beyond, ...rest }) => ({
      ...rest,
      rowStride: (rest.numQueryHeads + rest.numKeyHeads) * rest.headDim + beyond - 1,
    })),
  inputs: ({ numTokens, rowStride, headDim }, random, kind) => ({
    qkv: random.floats(numTokens * rowStride, kind),
    q_weight: random.floats(headDim, kind),
    k_weight: random.floats(headDim, kind),
  }),
  always: [small, { ...small, numTokens: 16_400, rowStride: 13, headDim: 3 }],
  folding: [{ ...small, numTokens: 20 }],
  twins: [
    {
      variant: 'head_rms_norm_f32',
      from: 'head >= params.num_query_heads',
      to: 'head > params.num_query_heads',
      problem: small,
    },
    {
      variant: 'head_rms_norm_f32',
      from: 'token * params.row_stride',
      to: 'token * params.head_dim',
      problem: small,
    },
  ],
});
