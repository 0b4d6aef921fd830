import { describe, expect, it } from 'vitest';
import { largestError } from './compare.ts';

describe('largestError', () => {
  it('is absolute for small references and relative to the largest one otherwise', () => {
    expect(largestError([[0.5, 0.25]], [[0.5, 0.5]])).toBe(0.25);
    expect(largestError([[102, -100]], [[100, -100]])).toBe(0.02);
    expect(
      largestError(
        [
          [1, 2],
          [3, 5],
        ],
        [
          [1, 2],
          [3, 4],
        ],
      ),
    ).toBe(0.25);
  });

  it('is zero for equal values', () => {
    expect(largestError([[1, -2]], [[1, -2]])).toBe(0);
  });

  it('is NaN, which is within no bound, for anything that is not a finite number', () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(largestError([[1, value]], [[1, 2]])).toBeNaN();
  });

  it('is NaN for outputs of another shape', () => {
    expect(largestError([[1]], [[1, 2]])).toBeNaN();
    expect(largestError([[1, 2, 3]], [[1, 2]])).toBeNaN();
    expect(largestError([], [[1, 2]])).toBeNaN();
    expect(
      largestError(
        [[1], [2, 3, 4]],
        [
          [1, 2],
          [3, 4],
        ],
      ),
    ).toBeNaN();
  });
});
