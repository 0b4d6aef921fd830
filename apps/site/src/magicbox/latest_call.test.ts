import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LatestCall } from './latest_call.ts';

/** A call that is answered when the test says so, and ignores its signal as a slow device does. */
class SlowCalls {
  readonly asked: string[] = [];
  readonly aborted: string[] = [];
  readonly told: string[] = [];
  readonly #open = new Map<string, { resolve: (output: string) => void; reject: (error: Error) => void }>();
  readonly latest = new LatestCall<string, string>({
    delayMs: 100,
    call: (input, signal) => {
      this.asked.push(input);
      signal.addEventListener('abort', () => this.aborted.push(input));
      return new Promise((resolve, reject) => this.#open.set(input, { resolve, reject }));
    },
    onAnswer: (input, output) => this.told.push(`${input}: ${output}`),
    onFailure: (error) => this.told.push(String(error)),
  });

  async answer(input: string): Promise<void> {
    this.#open.get(input)?.resolve(input.toUpperCase());
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(input: string): Promise<void> {
    this.#open.get(input)?.reject(new Error(`no ${input}`));
    await vi.advanceTimersByTimeAsync(0);
  }
}

let calls: SlowCalls;
beforeEach(() => {
  vi.useFakeTimers();
  calls = new SlowCalls();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('LatestCall', () => {
  it('asks once the input rests, about the newest only', async () => {
    for (const input of ['c', 'ca', 'cal']) {
      calls.latest.ask(input);
      await vi.advanceTimersByTimeAsync(99);
    }
    expect(calls.asked).toEqual([]);
    expect(calls.latest.isBusy).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls.asked).toEqual(['cal']);
    await calls.answer('cal');
    expect(calls.told).toEqual(['cal: CAL']);
    expect(calls.latest.isBusy).toBe(false);
  });

  it('asks at once where that is wanted', async () => {
    calls.latest.ask('a', 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.asked).toEqual(['a']);
  });

  it('stops the call that a newer input overtakes, as soon as there is one', async () => {
    calls.latest.ask('a', 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.aborted).toEqual([]);
    calls.latest.ask('b');
    expect(calls.aborted).toEqual(['a']);
  });

  it('tells nothing of an overtaken call, whether it answers before the newer, after it, or fails', async () => {
    for (const input of ['a', 'b', 'c', 'd']) {
      calls.latest.ask(input, 0);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(calls.asked).toEqual(['a', 'b', 'c', 'd']);
    await calls.answer('a');
    await calls.fail('b');
    expect(calls.told).toEqual([]);
    await calls.answer('d');
    await calls.answer('c');
    expect(calls.told).toEqual(['d: D']);
  });

  it('tells of a failure of the newest', async () => {
    calls.latest.ask('a', 0);
    await vi.advanceTimersByTimeAsync(0);
    await calls.fail('a');
    expect(calls.told).toEqual(['Error: no a']);
    expect(calls.latest.isBusy).toBe(false);
  });

  it('asks and tells nothing after a stop', async () => {
    calls.latest.ask('a', 0);
    await vi.advanceTimersByTimeAsync(0);
    calls.latest.stop();
    await calls.answer('a');
    calls.latest.ask('b');
    calls.latest.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect([calls.asked, calls.aborted, calls.told]).toEqual([['a'], ['a'], []]);
    expect(calls.latest.isBusy).toBe(false);
  });
});
