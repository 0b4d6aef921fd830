import { describe, expect, it } from 'vitest';
import { mean, quantile, summariseCalls } from './statistics.ts';

describe('summariseCalls', () => {
  const cold = [300, 50, 40, 30, 20];
  const settling = [999, 999, 999, 999, 999];
  const steady = [
    10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 129,
  ].toReversed();

  it('cuts thirty calls into first, 2 to 5, last three of five and the steady twenty', () => {
    expect(summariseCalls([...cold, ...settling, ...steady])).toEqual({
      firstMs: 300,
      calls2To5Ms: 35,
      mean5Ms: 88,
      last3Of5Ms: 30,
      steady: { medianMs: 19.5, p10Ms: 11.9, p90Ms: 27.1, numCalls: 20 },
    });
  });

  it('refuses too few calls', () => {
    expect(() => summariseCalls([1, 2, 3])).toThrow('calls: expected at least 25, found 3');
  });

  it.each([-1, NaN, Infinity])('refuses %d as a time', (impossible) => {
    const calls = [...cold, ...settling, ...steady.slice(1), impossible];
    expect(() => summariseCalls(calls)).toThrow(`expected a duration, found ${impossible}`);
  });
});

describe('quantile', () => {
  it('is the middle of an odd number of values and between the middle two of an even number', () => {
    expect(quantile([9, 1, 4], 0.5)).toBe(4);
    expect(quantile([9, 1, 4, 6], 0.5)).toBe(5);
  });

  it('orders by value, not by text', () => {
    expect(quantile([100, 9, 20], 0)).toBe(9);
    expect(quantile([100, 9, 20], 1)).toBe(100);
  });
});

describe('mean', () => {
  it('is the arithmetic mean', () => {
    expect(mean([1, 2, 6])).toBe(3);
  });
});
