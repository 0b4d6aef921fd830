import { expect, it } from 'vitest';
import { ropeReference } from './reference.ts';

it('rotates pairs half a rotary width apart by the position, copies the rest, and skips what stands behind the heads', () => {
  const problem = { numTokens: 2, rowStride: 6, numHeads: 1, headDim: 5, rotaryDim: 4, numPositions: 2 };
  const x = Float32Array.of(1, 2, 3, 4, 5, -1, 1, 2, 3, 4, 5, -1);
  // Position 0 is the identity; position 1 is a quarter turn for the first pair, and cos 0.5, sin 2 for the second.
  const table = Float32Array.of(1, 0, 1, 0, 0, 1, 0.5, 2);
  const tokens = Uint32Array.of(0, 2, 1, 0, 0, 2, 0, 0);
  const out = new Float32Array(10);
  ropeReference(problem, { x, table, tokens, out });
  expect([...out]).toEqual([-3, 1 - 8, 1, 2 + 4, 5, 1, 2, 3, 4, 5]);
});
