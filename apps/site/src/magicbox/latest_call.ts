/** What a {@link LatestCall} does with its inputs. */
export interface LatestCallOptions<Input, Output> {
  /** How long an input must rest before it is asked about. */
  readonly delayMs: number;
  /** Asks; rejects once the signal is aborted. */
  readonly call: (input: Input, signal: AbortSignal) => Promise<Output>;
  readonly onAnswer: (input: Input, output: Output) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Asks about the newest of many inputs: waits until the input rests, stops the call about an older one, and never tells of an answer that a
 * newer input has overtaken.
 */
export class LatestCall<Input, Output> {
  readonly #options: LatestCallOptions<Input, Output>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;

  constructor(options: LatestCallOptions<Input, Output>) {
    this.#options = options;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    return this.#timer !== undefined || this.#running !== undefined;
  }

  /** Asks about this input, and about no earlier one any more. @param delayMs where it need not rest. */
  ask(input: Input, delayMs = this.#options.delayMs): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start(input);
    }, delayMs);
  }

  /** Asks no more; nothing is told of what was asked. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running?.abort();
    this.#running = undefined;
  }

  #start(input: Input): void {
    const { call, onAnswer, onFailure } = this.#options;
    const controller = new AbortController();
    this.#running = controller;
    const settle = (tell: () => void): void => {
      if (this.#running !== controller) return;
      this.#running = undefined;
      tell();
    };
    call(input, controller.signal).then(
      (output) => {
        settle(() => {
          onAnswer(input, output);
        });
      },
      (error: unknown) => {
        settle(() => {
          onFailure(error);
        });
      },
    );
  }
}
