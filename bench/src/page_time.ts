import type { Say } from './engine.ts';

/** Far above what any section takes on a GPU. */
const mostSectionMs = 120_000;

/** The time that a page has for its sections. */
export class PageTime {
  readonly #endMs: number;

  /** @param limitMs from now on. */
  constructor(limitMs = Infinity) {
    this.#endMs = performance.now() + limitMs;
  }

  /** What the next section may take: with others behind it no more than half of what is left, so that they get their turn if it hangs. */
  sectionLimitMs(hasOthersBehind: boolean): number {
    const leftMs = Math.max(0, this.#endMs - performance.now());
    return Math.min(mostSectionMs, hasOthersBehind ? leftMs / 2 : leftMs);
  }
}

/** How often a section that takes long is heard of, for the log of a page that is cut off. */
const stillThereMs = 10_000;

/**
 * Waits for work, up to a limit.
 * @param onLong takes what the work said last, every ten seconds.
 * @throws Error that says what the work said last, where it does not end in time; it goes on unheard.
 */
export async function withinLimit<T>(
  limitMs: number,
  work: (say: Say) => Promise<T>,
  onLong: Say = () => undefined,
): Promise<T> {
  let doing = 'nothing yet';
  const ticker = setInterval(() => {
    onLong(doing);
  }, stillThereMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the section took more than ${Math.round(limitMs)} ms, and was busy with: ${doing}`));
    }, limitMs);
  });
  const working = work((what) => {
    doing = what;
  });
  return await Promise.race([working, limit]).finally(() => {
    clearTimeout(timer);
    clearInterval(ticker);
  });
}
