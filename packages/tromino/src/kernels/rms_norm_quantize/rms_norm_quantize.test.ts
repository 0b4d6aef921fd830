import { expect, it } from 'vitest';
import { rowCodes, rowFactor, rowScale } from '../quantize_activations/reference.ts';
import { rmsNormQuantizeReference } from './reference.ts';

it('rounds the normed row, not the row', () => {
  const out = new Uint32Array(8).fill(9);
  // The root of the mean square plus epsilon is sqrt(25 + 11) = 6: the normed row is 0.5, 7.
  rmsNormQuantizeReference(
    { rows: 1, k: 2, epsilon: 11 },
    { x: Float32Array.of(1, 7), weight: Float32Array.of(3, 6), out },
  );
  expect(rowScale(out)).toBe(Math.fround(127 / 7));
  expect([...rowCodes(out)]).toEqual([9, 127, ...new Array<number>(14).fill(0)]);
  expect([out[1], out[3]]).toEqual([136, 0]);
  expect(rowFactor(out)).toBeCloseTo(7 / 127, 8);
});

it('makes the scale of a row NaN that holds one', () => {
  const out = new Uint32Array(8);
  const x = Float32Array.of(NaN, 1);
  rmsNormQuantizeReference({ rows: 1, k: 2, epsilon: 1e-5 }, { x, weight: Float32Array.of(1, 1), out });
  expect(rowScale(out)).toBeNaN();
});
