import { expect, it } from 'vitest';
import { quantizeActivationsReference, rowCodes, rowFactor, rowScale } from './reference.ts';

it('scales each row by 127 over its largest magnitude, rounds to even and sums the codes', () => {
  const x = Float32Array.of(127, 2.5, -3.5, 0.4, -127, 0, 0, 0, 0, 1e-6);
  const out = new Uint32Array(2 * 8).fill(9);
  quantizeActivationsReference({ rows: 2, k: 5 }, { x, out });
  const [first, second] = [out.subarray(0, 8), out.subarray(8)];
  expect(rowScale(first)).toBe(1);
  expect([...rowCodes(first)]).toEqual([127, 2, -4, 0, -127, ...new Array<number>(11).fill(0)]);
  expect([first[1], first[3]]).toEqual([2 ** 32 - 2, 0]);
  expect(rowFactor(first)).toBe(1);
  // Below 1e-5 the row is not blown up further: 1e-6 * 127 / 1e-5 = 12.7.
  expect(rowScale(second)).toBe(12_700_000);
  expect(rowFactor(second)).toBe(Math.fround(Math.fround(1e-5) / 127));
  expect([...rowCodes(second).subarray(0, 6)]).toEqual([0, 0, 0, 0, 13, 0]);
});

it('makes the scale of a row NaN that holds one', () => {
  const out = new Uint32Array(8);
  quantizeActivationsReference({ rows: 1, k: 2 }, { x: Float32Array.of(NaN, 1), out });
  expect(rowScale(out)).toBeNaN();
});
