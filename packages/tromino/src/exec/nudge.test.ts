import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepNudging } from './nudge.ts';

/** Milliseconds that a task takes in the host below. */
const taskMs = 0.05;

/** A host with a clock of its own: messages and timers run when the test says so, in the order of their time. */
class FakeHost {
  now = 0;
  /** Tasks run so far, timers left out. */
  tasks = 0;
  /** What timers were asked for, in milliseconds. */
  readonly pauses: number[] = [];
  openChannels = 0;
  #waiting: { readonly at: number; readonly run: () => void; readonly id: number }[] = [];
  #ids = 0;

  install(): void {
    // As of a real channel, a second closing does nothing.
    const openChannel = (): (() => void) => {
      this.openChannels++;
      let isOpen = true;
      return () => {
        if (isOpen) this.openChannels--;
        isOpen = false;
      };
    };
    const later = (ms: number, run: () => void): number => this.#later(ms, run);
    const count = (): void => {
      this.tasks++;
    };
    vi.stubGlobal('performance', { now: () => this.now });
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
      this.pauses.push(ms);
      return later(ms, run);
    });
    vi.stubGlobal('clearTimeout', (id: number | undefined) => {
      this.#waiting = this.#waiting.filter((task) => task.id !== id);
    });
    vi.stubGlobal(
      'MessageChannel',
      class {
        readonly port1 = { onmessage: null as (() => void) | null, close: openChannel() };
        readonly port2 = {
          postMessage: () =>
            later(taskMs, () => {
              count();
              this.port1.onmessage?.();
            }),
        };
      },
    );
  }

  /** Runs what is due within the next milliseconds. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [first] = [...this.#waiting].sort((a, b) => a.at - b.at);
      if (!first || first.at > end) break;
      this.#waiting = this.#waiting.filter((task) => task !== first);
      this.now = first.at;
      first.run();
    }
    this.now = end;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  #later(ms: number, run: () => void): number {
    const id = ++this.#ids;
    this.#waiting.push({ at: this.now + ms, run, id });
    return id;
  }
}

let host: FakeHost;
const submit = vi.fn<(commands: Iterable<GPUCommandBuffer>) => undefined>();

beforeEach(() => {
  submit.mockReset();
  host = new FakeHost();
  host.install();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('keepNudging', () => {
  it('submits nothing at once, then an empty list every 0.2 ms', () => {
    const stop = keepNudging({ submit });
    expect(submit).not.toHaveBeenCalled();
    host.advance(0.15);
    expect(submit).not.toHaveBeenCalled();
    host.advance(1.9);
    expect(submit.mock.calls.length).toBeGreaterThanOrEqual(8);
    expect(submit.mock.calls.length).toBeLessThanOrEqual(10);
    for (const [commands] of submit.mock.calls) expect(commands).toEqual([]);
    stop();
  });

  it('stops at once, whether a task or a timer is next, and closes its channel', () => {
    for (const ms of [0, 1, 5.5, 300]) {
      const stop = keepNudging({ submit });
      host.advance(ms);
      const nudges = submit.mock.calls.length;
      stop();
      host.advance(1000);
      expect(submit.mock.calls.length, `stopped after ${ms} ms`).toBe(nudges);
      expect(host.isIdle).toBe(true);
      expect(host.openChannels).toBe(0);
    }
  });

  it('leaves the thread to others after 4 ms: one task for each timer', () => {
    const stop = keepNudging({ submit });
    host.advance(4.2);
    const [tasks, timers] = [host.tasks, host.pauses.length];
    expect(timers).toBe(1);
    host.advance(100);
    expect(host.tasks - tasks).toBe(host.pauses.length - timers);
    expect(host.tasks - tasks).toBeLessThan(30);
    stop();
  });

  it('pauses longer and longer, from 1 ms to 16, for as long as it takes', () => {
    const stop = keepNudging({ submit });
    host.advance(1000);
    const { pauses } = host;
    expect(pauses[0]).toBe(1);
    expect(pauses.at(-1)).toBe(16);
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
    const before = submit.mock.calls.length;
    host.advance(1000);
    expect(submit.mock.calls.length - before).toBeGreaterThan(55);
    stop();
  });

  it('gives up where the queue throws, and throws nothing itself', () => {
    // Among tasks, then among timers.
    for (const ms of [0, 10]) {
      submit.mockReset();
      const stop = keepNudging({ submit });
      host.advance(ms);
      submit.mockReset();
      submit.mockImplementation(() => {
        throw new TypeError('refused for a test');
      });
      host.advance(100);
      expect(submit).toHaveBeenCalledTimes(1);
      expect(host.openChannels).toBe(0);
      expect(host.isIdle).toBe(true);
      stop();
      expect(host.openChannels).toBe(0);
    }
  });

  it('gives each of two waits its own pace', () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const stops = [keepNudging({ submit: first }), keepNudging({ submit: second })];
    host.advance(2);
    stops[0]?.();
    const nudges = first.mock.calls.length;
    expect(second.mock.calls.length).toBe(nudges);
    host.advance(1);
    expect(first.mock.calls.length).toBe(nudges);
    expect(second.mock.calls.length).toBeGreaterThan(nudges + 2);
    stops[1]?.();
  });
});

describe('on a real host', () => {
  beforeEach(() => {
    vi.unstubAllGlobals();
  });

  it('nothing keeps the process alive after the end', async () => {
    const count = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const before = count();
    const stop = keepNudging({ submit });
    await vi.waitUntil(() => submit.mock.calls.length > 0, { interval: 1 });
    expect(count()).toBeGreaterThan(before);
    stop();
    await vi.waitUntil(() => count() === before, { interval: 1 });
  });
});
