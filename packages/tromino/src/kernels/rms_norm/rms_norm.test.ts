import { expect, it } from 'vitest';
import { rmsNormReference } from './reference.ts';

it('divides each row by the root of its mean square plus epsilon, and multiplies by the weight', () => {
  const out = new Float32Array(4);
  const x = Float32Array.of(1, 7, 0, 0);
  // Mean squares 25 and 0: the roots are sqrt(25 + 11) = 6 and sqrt(11).
  rmsNormReference({ rows: 2, hidden: 2, epsilon: 11 }, { x, weight: Float32Array.of(3, 6), out });
  expect([...out]).toEqual([0.5, 7, 0, 0]);
});

it('gives zeros where the squares pass the f32 range, as the device does', () => {
  const out = new Float32Array(2).fill(9);
  rmsNormReference(
    { rows: 1, hidden: 2, epsilon: 1e-6 },
    { x: Float32Array.of(1e20, 1), weight: Float32Array.of(1, 1), out },
  );
  expect([...out]).toEqual([0, 0]);
});
