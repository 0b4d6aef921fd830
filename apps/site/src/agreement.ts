import { writePrompt, type GameState } from '@tromino/strata';
import { choose, type Choice } from './choice.ts';
import type { Player } from './player.ts';

/** How often a player chose what the reference would have chosen in the same state. */
export interface Agreement {
  readonly asked: number;
  readonly agreed: number;
}

/**
 * Holds the choices of one player against another's. The reference is asked beside the game and one state at a time: states that come while
 * it thinks are passed over, so the game never waits.
 */
export class AgreementMeter {
  readonly #reference: Player;
  #asked = 0;
  #agreed = 0;
  #isAsking = false;

  constructor(reference: Player) {
    this.#reference = reference;
  }

  get agreement(): Agreement {
    return { asked: this.#asked, agreed: this.#agreed };
  }

  /**
   * Asks the reference what it would have chosen, unless it is at work.
   * @returns whether it was asked. @throws what the reference throws.
   */
  async compare(state: GameState, choice: Choice): Promise<boolean> {
    if (this.#isAsking) return false;
    this.#isAsking = true;
    try {
      const { scores } = await this.#reference.decide(writePrompt(state));
      this.#asked++;
      if (choose(state, scores).action === choice.action) this.#agreed++;
      return true;
    } finally {
      this.#isAsking = false;
    }
  }
}
