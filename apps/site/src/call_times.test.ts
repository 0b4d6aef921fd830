import { describe, expect, it } from 'vitest';
import { CallTimes, median } from './call_times.ts';

describe('CallTimes', () => {
  it('keeps the first call out of the median', () => {
    const times = new CallTimes();
    for (const durationMs of [900, 10, 30, 20]) times.add(durationMs);
    expect(times.firstMs).toBe(900);
    expect(times.lastMs).toBe(20);
    expect(times.laterMedianMs).toBe(20);
    expect(times.count).toBe(4);
  });

  it('has no median of later calls after one call', () => {
    const times = new CallTimes();
    times.add(5);
    expect([times.firstMs, times.lastMs, times.laterMedianMs]).toEqual([5, 5, undefined]);
  });

  it('numbers the latest calls from the first ever', () => {
    const times = new CallTimes();
    for (const durationMs of [1, 2, 3]) times.add(durationMs);
    expect(times.latest(2)).toEqual([
      { call: 2, durationMs: 2 },
      { call: 3, durationMs: 3 },
    ]);
    expect(times.latest(60)).toHaveLength(3);
  });

  it('forgets all when another player comes', () => {
    const times = new CallTimes();
    times.add(1);
    times.clear();
    expect([times.count, times.firstMs]).toEqual([0, undefined]);
  });
});

describe('median', () => {
  it.each([
    [[], undefined],
    [[7], 7],
    [[1, 10], 5.5],
    [[9, 1, 5], 5],
    [[100, 20, 3, 4], 12],
  ])('of %j is %s', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
