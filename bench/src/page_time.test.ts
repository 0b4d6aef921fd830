import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PageTime, withinLimit } from './page_time.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('PageTime', () => {
  it('leaves half of what is left to the sections behind', () => {
    const time = new PageTime(60_000);
    expect(time.sectionLimitMs(true)).toBe(30_000);
    vi.advanceTimersByTime(40_000);
    expect(time.sectionLimitMs(true)).toBe(10_000);
    expect(time.sectionLimitMs(false)).toBe(20_000);
    vi.advanceTimersByTime(40_000);
    expect(time.sectionLimitMs(false)).toBe(0);
  });

  it('gives no section more than two minutes', () => {
    expect(new PageTime().sectionLimitMs(true)).toBe(120_000);
    expect(new PageTime(10 ** 6).sectionLimitMs(false)).toBe(120_000);
  });
});

describe('withinLimit', () => {
  it('gives what the work gives', async () => {
    expect(await withinLimit(1000, () => Promise.resolve(7))).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says what the work was busy with when it took too long', async () => {
    const hanging = withinLimit(1000, (say) => {
      say('load, files');
      say('load, weights, 5 of 9 bytes');
      return new Promise<never>(() => undefined);
    });
    const failing = expect(hanging).rejects.toThrow(
      'the section took more than 1000 ms, and was busy with: load, weights, 5 of 9 bytes',
    );
    await vi.advanceTimersByTimeAsync(1000);
    await failing;
  });

  it('lets long work be heard of', async () => {
    const heard: string[] = [];
    const hanging = withinLimit(
      25_000,
      (say) => {
        say('call 3 of 30');
        return new Promise<never>(() => undefined);
      },
      (doing) => heard.push(doing),
    );
    const failing = expect(hanging).rejects.toThrow('busy with: call 3 of 30');
    await vi.advanceTimersByTimeAsync(25_000);
    await failing;
    expect(heard).toEqual(['call 3 of 30', 'call 3 of 30']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
