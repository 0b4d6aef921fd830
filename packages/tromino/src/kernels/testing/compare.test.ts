import { describe, expect, it } from 'vitest';
import { bitDifference, difference } from './compare.ts';

const f32 = (...values: number[]): Float32Array => Float32Array.from(values);

describe('difference', () => {
  const tolerance = { absolute: 0.25, relative: 0.125 };

  it('allows the absolute part plus the relative part of the largest magnitude', () => {
    expect(difference(f32(1.75, -8), f32(0.5, -8), tolerance)).toBeUndefined();
    expect(difference(f32(1.875, -8), f32(0.5, -8), tolerance)).toBe(
      'element 0: expected 0.5 within 1.25, found 1.875',
    );
  });

  it('wants NaN and infinities where they are expected and nowhere else', () => {
    expect(difference(f32(NaN, Infinity, 1), f32(NaN, Infinity, 1), tolerance)).toBeUndefined();
    expect(difference(f32(NaN), f32(1), tolerance)).toBeDefined();
    expect(difference(f32(1), f32(NaN), tolerance)).toBeDefined();
    expect(difference(f32(-Infinity), f32(Infinity), tolerance)).toBeDefined();
    expect(difference(f32(1e38), f32(Infinity), tolerance)).toBeDefined();
  });

  it('wants the same length', () => {
    expect(difference(f32(1), f32(1, 1), tolerance)).toBe('expected 2 elements, found 1');
  });
});

describe('bitDifference', () => {
  it('tells zeros of different sign and neighbouring numbers apart', () => {
    expect(bitDifference(f32(0, 1), f32(0, 1))).toBeUndefined();
    expect(bitDifference(f32(-0), f32(0))).toBeDefined();
    expect(bitDifference(f32(1 + 2 ** -23), f32(1))).toBe('element 0: expected 1, found 1.0000001192092896');
  });

  it('counts equal NaNs as equal', () => {
    expect(bitDifference(f32(NaN), f32(NaN))).toBeUndefined();
  });
});
