import { expect, it } from 'vitest';
import { meanPoolReference } from './reference.ts';

it('averages the tokens of each row, whichever of them is pointed at', () => {
  const out = new Float32Array(4);
  // Token 0 stands before its row: it sees tokens 1 and 2 and is none of them.
  const tokens = Uint32Array.of(1, 3, 0, 0, 1, 3, 1, 0, 1, 3, 2, 0, 3, 4, 0, 1);
  const x = Float32Array.of(99, 99, 1, 2, 3, 6, 7, 8);
  const rows = Uint32Array.of(0, 3);
  meanPoolReference({ numTokens: 4, numRows: 2, width: 2 }, { x, tokens, rows, out });
  expect([...out]).toEqual([2, 4, 7, 8]);
});
