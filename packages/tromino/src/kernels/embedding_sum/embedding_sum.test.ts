import { expect, it } from 'vitest';
import { embeddingSumReference } from './reference.ts';

const problem = { numTokens: 3, hidden: 2, firstRow: 10, numRows: 2, numTypes: 2, tablePositions: 3 };
const operands = {
  table: Float32Array.of(1, 2, 3, 4),
  ids: Uint32Array.of(11, 9, 10),
  type_table: Float32Array.of(10, 20, 30, 40),
  types: Uint32Array.of(1, 1, 0),
  position_table: Float32Array.of(100, 200, 300, 400, 500, 600),
  positions: Uint32Array.of(0, 1, 2),
};

it('adds word, type and position, and leaves tokens of other chunks alone', () => {
  const out = new Float32Array(6).fill(9);
  embeddingSumReference(problem, { ...operands, out });
  expect([...out]).toEqual([133, 244, 9, 9, 511, 622]);
});

it('adds nothing of a table that is not there', () => {
  const out = new Float32Array(6).fill(9);
  embeddingSumReference({ ...problem, numTypes: 0, tablePositions: 0 }, { ...operands, out });
  expect([...out]).toEqual([3, 4, 9, 9, 1, 2]);
});
