import { describe, expect, it } from 'vitest';
import type { DispatchStep } from '../plan/plan.ts';
import { summarise } from './profile.ts';

const steps = ['short', 'long'].map((label) => ({ kind: 'dispatch', label }) as DispatchStep);

/** Timestamps of two steps of 5 and 9 us, one after the other from `start` on, by a clock that ticks every `tick` ns. */
function stamps(start: number, tick: number): BigUint64Array {
  const times = [start, start + 5000, start + 6000, start + 15_000];
  return BigUint64Array.from(times, (time) => BigInt(Math.floor(time / tick) * tick));
}

describe('summarise', () => {
  it.each([65_536, 100_000])('ranks 5 us and 9 us right with a clock of %d ns, and states it', (tick) => {
    const runs = Array.from({ length: 400 }, (_, repeat) => stamps(1_000_000 + repeat * 17_321, tick));
    const { steps: profiles, resolutionNs, discardedSpans } = summarise(steps, runs);
    const [short = 0, long = 0] = profiles.map(({ durationNs }) => durationNs ?? 0);
    expect(resolutionNs).toBe(tick);
    expect(discardedSpans).toBe(0);
    expect(Math.abs(short - 5000)).toBeLessThan(1500);
    expect(Math.abs(long - 9000)).toBeLessThan(1500);
  });

  it('gives no duration below the resolution, and throws negative spans away', () => {
    const { steps: profiles, discardedSpans } = summarise(steps, [BigUint64Array.of(100n, 100n, 200n, 150n)]);
    expect(profiles.map(({ durationNs }) => durationNs)).toEqual([undefined, undefined]);
    expect(discardedSpans).toBe(1);
  });
});
