import { expect, it } from 'vitest';
import { gatherRowsReference } from './reference.ts';

it('copies the chosen rows in the order asked for', () => {
  const out = new Float32Array(6);
  const x = Float32Array.of(1, 2, 3, 4, 5, 6);
  gatherRowsReference({ numRows: 3, width: 2, sourceRows: 3 }, { x, rows: Uint32Array.of(2, 0, 2), out });
  expect([...out]).toEqual([5, 6, 1, 2, 5, 6]);
});
