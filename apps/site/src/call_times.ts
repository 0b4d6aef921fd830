/** Times of the calls of a model in order. The first call compiles and allocates, so it is never mixed with the later ones. */
export class CallTimes {
  readonly #durationsMs: number[] = [];

  add(durationMs: number): void {
    this.#durationsMs.push(durationMs);
  }

  /** Forgets all: another model starts with a first call of its own. */
  clear(): void {
    this.#durationsMs.length = 0;
  }

  get count(): number {
    return this.#durationsMs.length;
  }

  get firstMs(): number | undefined {
    return this.#durationsMs[0];
  }

  get lastMs(): number | undefined {
    return this.#durationsMs.at(-1);
  }

  /** Median of all calls but the first. */
  get laterMedianMs(): number | undefined {
    return median(this.#durationsMs.slice(1));
  }

  /** The latest `count` times, oldest first, each with its call number from 1. */
  latest(count: number): { readonly call: number; readonly durationMs: number }[] {
    const start = Math.max(0, this.#durationsMs.length - count);
    return this.#durationsMs.slice(start).map((durationMs, i) => ({ call: start + i + 1, durationMs }));
  }
}

/** The middle value, or the mean of the two middle ones; undefined of nothing. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted.length % 2 === 0 ? sorted[middle - 1] : upper;
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}
