import { expect, it } from 'vitest';
import { embeddingReference } from './reference.ts';

it('looks up the ids of its chunk and leaves the other rows alone', () => {
  const out = new Float32Array(8).fill(9);
  const problem = {
    numTokens: 4,
    hidden: 2,
    firstRow: 10,
    numRows: 2,
    scale: 1,
    weightDtype: 'f32' as const,
  };
  embeddingReference(problem, {
    table: Float32Array.of(1, 2, 3, 4),
    ids: Uint32Array.of(11, 9, 10, 12),
    out,
  });
  expect([...out]).toEqual([3, 4, 9, 9, 1, 2, 9, 9]);
});

it('scales what it looks up', () => {
  const out = new Float32Array(2);
  const problem = { numTokens: 1, hidden: 2, firstRow: 0, numRows: 1, scale: 8, weightDtype: 'f32' as const };
  embeddingReference(problem, { table: Float32Array.of(1, -2), ids: Uint32Array.of(0), out });
  expect([...out]).toEqual([8, -16]);
});
