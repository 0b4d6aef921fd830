import { throwIfAborted } from './abort.ts';

interface Waiter {
  readonly enter: () => void;
}

/**
 * Lets one holder in at a time, in the order of asking. A waiter whose signal aborts leaves the line at once and disturbs nobody.
 */
export class Mutex {
  #held = false;
  readonly #line: Waiter[] = [];

  /** Resolves when it is the caller's turn, with the function that ends the turn (a second call does nothing). */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    throwIfAborted(signal);
    if (this.#held) await this.#wait(signal);
    this.#held = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#next();
    };
  }

  #next(): void {
    const waiter = this.#line.shift();
    // The turn passes over directly: `#held` stays true, so that nobody who asks in between can overtake.
    if (waiter) waiter.enter();
    else this.#held = false;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#line.splice(this.#line.indexOf(waiter), 1);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#line.push(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
