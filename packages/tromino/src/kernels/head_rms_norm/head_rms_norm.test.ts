import { expect, it } from 'vitest';
import { headRmsNormReference } from './reference.ts';

it('normalises query and key heads with their own weights and does not read the values', () => {
  const problem = { numTokens: 2, rowStride: 7, numQueryHeads: 2, numKeyHeads: 1, headDim: 2, epsilon: 0 };
  const qkv = Float32Array.of(1, 7, 7, 1, 2, 14, NaN, 3, 21, 21, 3, 1, 7, NaN);
  const out = new Float32Array(12);
  headRmsNormReference(problem, {
    qkv,
    q_weight: Float32Array.of(5, 10),
    k_weight: Float32Array.of(50, 5),
    out,
  });
  // Every head is a multiple of (1, 7) or (7, 1), whose root mean square is 5.
  expect([...out]).toEqual([1, 14, 7, 2, 10, 7, 1, 14, 7, 2, 10, 7]);
});
