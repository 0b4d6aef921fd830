/** What random operands look like: ordinary numbers, the awkward ones, or all the same. */
export const valueKinds = ['uniform', 'special', 'equal'] as const;

/** One of `valueKinds`. */
export type ValueKind = (typeof valueKinds)[number];

/** Zero of both signs, f32 subnormals, the smallest normal and its neighbour, and numbers that are large beside 1. */
const specialValues = [0, -0, 1e-40, -1e-45, 1.1754944e-38, -3e-38, 1e-6, 1, -1, 3.5, -250, 1000];

/** A seeded generator of operands, so that a failure can be repeated (the 32-bit generator known as mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, end). */
  below(end: number): number {
    return Math.floor(this.unit() * end);
  }

  /** f32 values in [-1, 1), or of the kind asked for. */
  floats(length: number, kind: ValueKind = 'uniform'): Float32Array {
    const common = this.unit() * 2 - 1;
    return Float32Array.from({ length }, () => {
      if (kind === 'equal') return common;
      if (kind === 'special') return specialValues[this.below(specialValues.length)] as number;
      return this.unit() * 2 - 1;
    });
  }

  /** Indices below `end`. */
  indices(length: number, end: number): Uint32Array {
    return Uint32Array.from({ length }, () => this.below(end));
  }
}
