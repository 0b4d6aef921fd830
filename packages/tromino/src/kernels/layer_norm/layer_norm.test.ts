import { expect, it } from 'vitest';
import { layerNormReference } from './reference.ts';

it('takes off the mean, divides by the root of the variance plus epsilon, scales and shifts', () => {
  const out = new Float32Array(4);
  const x = Float32Array.of(1, 7, 5, 5);
  // Means 4 and 5, variances 9 and 0: the roots are sqrt(9 + 16) = 5 and sqrt(16) = 4.
  const operands = { x, weight: Float32Array.of(5, 10), bias: Float32Array.of(0.5, -1), out };
  layerNormReference({ rows: 2, hidden: 2, epsilon: 16, hasBias: true }, operands);
  expect([...out]).toEqual([-2.5, 5, 0.5, -1]);
  layerNormReference({ rows: 2, hidden: 2, epsilon: 16, hasBias: false }, operands);
  expect([...out]).toEqual([-3, 6, 0, 0]);
});
