import { expect, it } from 'vitest';
import { addReference } from './reference.ts';

it('adds element by element and leaves what is beyond the length', () => {
  const out = Float32Array.of(9, 9, 9);
  addReference({ length: 2 }, { a: Float32Array.of(1, -2), b: Float32Array.of(0.5, 2), out });
  expect([...out]).toEqual([1.5, 0, 9]);
});
