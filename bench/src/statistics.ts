/** Times of one section's calls, cut the way that shows first calls and steady state apart. All in milliseconds. */
export interface CallTimes {
  readonly firstMs: number;
  /** Mean of calls 2 to 5. */
  readonly calls2To5Ms: number;
  /** Mean of the first five. */
  readonly mean5Ms: number;
  /** Mean of calls 3 to 5. */
  readonly last3Of5Ms: number;
  readonly steady: SteadyTimes;
}

/** The last twenty calls. */
export interface SteadyTimes {
  readonly medianMs: number;
  readonly p10Ms: number;
  readonly p90Ms: number;
  readonly numCalls: number;
}

const steadyCalls = 20;

/**
 * Sums up the calls of a section, first call included.
 * @throws RangeError for fewer calls than the cold five and the steady twenty, and for times that no clock gives.
 */
export function summariseCalls(callsMs: readonly number[]): CallTimes {
  if (callsMs.length < 5 + steadyCalls) {
    throw new RangeError(`calls: expected at least ${5 + steadyCalls}, found ${callsMs.length}`);
  }
  const impossible = callsMs.find((duration) => !(duration >= 0 && Number.isFinite(duration)));
  if (impossible !== undefined) throw new RangeError(`call time: expected a duration, found ${impossible}`);
  const steady = callsMs.slice(-steadyCalls);
  return {
    firstMs: mean(callsMs.slice(0, 1)),
    calls2To5Ms: mean(callsMs.slice(1, 5)),
    mean5Ms: mean(callsMs.slice(0, 5)),
    last3Of5Ms: mean(callsMs.slice(2, 5)),
    steady: {
      medianMs: quantile(steady, 0.5),
      p10Ms: quantile(steady, 0.1),
      p90Ms: quantile(steady, 0.9),
      numCalls: steady.length,
    },
  };
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which a share of the values lies, interpolated between neighbours; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
