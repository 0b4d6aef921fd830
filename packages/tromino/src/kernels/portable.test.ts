import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exponential, inverseRoot, laneSum, quotient } from './portable.ts';

const ulps = (found: number, exact: number): number => Math.abs(found / exact - 1) * 2 ** 24;
const magnitude = fc.double({ min: -60, max: 60, noNaN: true }).map((power) => Math.fround(2 ** power));

it('divides to within half a unit of the last place and a little, and exactly where the quotient is exact', () => {
  fc.assert(
    fc.property(magnitude, magnitude, (a, b) => {
      expect(ulps(quotient(a, b), a / b)).toBeLessThan(1.001);
    }),
  );
  for (const [a, b, exact] of [
    [127, 127, 1],
    [1, 64, 1 / 64],
    [127, 2, 63.5],
    [0, 3, 0],
  ] as const) {
    expect(quotient(a, b)).toBe(exact);
  }
  expect(quotient(1, NaN)).toBeNaN();
});

it('takes the inverse root to within two units of the last place', () => {
  fc.assert(
    fc.property(magnitude, (x) => {
      expect(ulps(inverseRoot(x), 1 / Math.sqrt(x))).toBeLessThan(4);
    }),
  );
  expect(inverseRoot(Infinity)).toBe(0);
  expect(inverseRoot(NaN)).toBeNaN();
});

it('takes the exponential to within two units of the last place, and 0 of what is far below', () => {
  fc.assert(
    fc.property(fc.double({ min: -86, max: 0, noNaN: true }).map(Math.fround), (x) => {
      expect(ulps(exponential(x), Math.exp(x))).toBeLessThan(4);
    }),
  );
  expect(exponential(0)).toBe(1);
  expect([-88, -200].map(exponential)).toEqual([0, 0]);
});

it('sums by 64 lanes and a tree, in f32', () => {
  // Lane 0 takes 2^24 and then 1, which is lost; lane 1 takes 1 and 1, which are not.
  const terms = [2 ** 24, 1, ...new Array<number>(62).fill(0), 1, 1];
  expect(laneSum(terms.length, (i) => terms[i] ?? NaN)).toBe(2 ** 24 + 2);
  expect(laneSum(terms.length, (i) => terms[i] ?? NaN, 5)).toBe(2 ** 24 + 2);
  // The tree adds lanes 1 and 3 first; in order, 2^24 would swallow each 1.
  expect(laneSum(4, (i) => [2 ** 24, 1, 0, 1][i] ?? NaN)).toBe(2 ** 24 + 2);
});
