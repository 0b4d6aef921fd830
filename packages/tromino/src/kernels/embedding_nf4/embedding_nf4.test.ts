import { expect, it } from 'vitest';
import { nf4Map } from '../../tensor/nf4.ts';
import { embeddingReference } from '../embedding/reference.ts';
import { randomNf4Table } from '../testing/nf4_table.ts';
import { Random } from '../testing/random.ts';
import { embeddingNf4Reference } from './reference.ts';

it('looks up the ids of its chunk and leaves the other rows alone', () => {
  const out = new Float32Array(12).fill(9);
  const problem = { numTokens: 4, hidden: 3, firstRow: 10, numRows: 2, scale: 2, blockSize: 32 };
  embeddingNf4Reference(problem, {
    // Row 10 has codes 0, 15 and 7, row 11 has 15, 0 and 7.
    codes: Uint32Array.of(0x7f0, 0x70f),
    scales: Float32Array.of(0.5),
    quant_map: Float32Array.from(nf4Map),
    ids: Uint32Array.of(11, 9, 10, 12),
    out,
  });
  expect([...out]).toEqual([1, -1, 0, 9, 9, 9, -1, 1, 0, 9, 9, 9]);
});

it.each([
  [64, 32],
  [40, 64],
  [33, 32],
])('gives what the table gives as floats, %i wide in blocks of %i', (hidden, blockSize) => {
  const random = new Random(hidden);
  const numRows = 11;
  const { packed, table } = randomNf4Table(random, numRows, hidden, blockSize);
  const ids = random.indices(20, numRows);
  const problem = { numTokens: 20, hidden, firstRow: 0, numRows, scale: 1.5 };
  const [found, expected] = [new Float32Array(20 * hidden), new Float32Array(20 * hidden)];
  embeddingNf4Reference({ ...problem, blockSize }, { ...packed, ids, out: found });
  embeddingReference({ ...problem, weightDtype: 'f32' }, { table, ids, out: expected });
  expect(found).toEqual(expected);
});
