/** One draw: the value, and the state to draw from next. */
export interface Draw {
  /** A uniform unsigned 32-bit integer. */
  readonly value: number;
  /** The generator's state after this draw. */
  readonly state: number;
}

/**
 * Draws from a splitmix generator of 32 bits: a Weyl sequence through a finalizer.
 *
 * The whole state is one integer, so that a game state stays plain data and a replay needs only a seed.
 */
function draw(state: number): Draw {
  const next = (state + 0x9e3779b9) >>> 0;
  let mixed = next;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return { value: (mixed ^ (mixed >>> 15)) >>> 0, state: next };
}

/** Draws a uniform integer in `[0, bound)`. The bias of the remainder is below 2⁻²⁴ for the small bounds used here. */
export function drawBelow(state: number, bound: number): Draw {
  const { value, state: next } = draw(state);
  return { value: value % bound, state: next };
}

/** A stateful wrapper of {@link draw} for players and tests that want a plain source of numbers. */
export class RandomSource {
  #state: number;

  /** Seeds the source; equal seeds give equal sequences. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next uniform integer in `[0, bound)`. */
  below(bound: number): number {
    const { value, state } = drawBelow(this.#state, bound);
    this.#state = state;
    return value;
  }
}
