/** What is known of the decision that is awaited. */
export interface AwaitedDecision {
  readonly isDeciding: boolean;
  /** Whether the player has decided nothing before. */
  readonly isFirst: boolean;
  /** Whether its backend compiles what it has not run before. */
  readonly compiles: boolean;
}

/** A later decision that takes no longer is not worth a word. */
const slowMs = 300;

/** Says that a decision is under way: of a player's first one at once, since that is slow by nature, of a later one when it has become slow. */
export class DecisionNotice {
  readonly #show: (text: string | undefined) => void;
  #isDeciding = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param show is given what to say, and undefined when there is nothing to say any more. */
  constructor(show: (text: string | undefined) => void) {
    this.#show = show;
  }

  /** To be told whenever something may have changed; what stays the same says nothing anew. */
  update({ isDeciding, isFirst, compiles }: AwaitedDecision): void {
    if (isDeciding === this.#isDeciding) return;
    this.#isDeciding = isDeciding;
    clearTimeout(this.#timer);
    if (!isDeciding) {
      this.#show(undefined);
      return;
    }
    const text = isFirst && compiles ? 'compiling and deciding…' : 'deciding…';
    if (isFirst) this.#show(text);
    else
      this.#timer = setTimeout(() => {
        this.#show(text);
      }, slowMs);
  }
}
