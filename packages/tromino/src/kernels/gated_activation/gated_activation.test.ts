import { expect, it } from 'vitest';
import { gatedActivationReference } from './reference.ts';

it('multiplies the activated gate by up, row by row', () => {
  const out = new Float32Array(4);
  const x = Float32Array.of(1, -1, 10, 20, 3, 4, 30, 40);
  gatedActivationReference({ rows: 2, inner: 2, activation: 'relu_squared' }, { x, out });
  expect([...out]).toEqual([10, 0, 270, 640]);
});
