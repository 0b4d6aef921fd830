import { Action, isLegal, newGame, step, writePrompt, type GameState } from '@tromino/strata';
import { choose, type Choice } from './choice.ts';
import type { Player } from './player.ts';
import type { Decision } from './player_protocol.ts';

/** Who moves the pieces. */
export type Driver = 'model' | 'you';

/** What a session tells those who show it. */
export interface SessionListener {
  /** A step was played. */
  moved?(before: GameState, action: Action, after: GameState): void;
  /** The model decided on `before`; the move follows. */
  decided?(before: GameState, decision: Decision, choice: Choice): void;
  /** A new game began. */
  restarted?(state: GameState): void;
  /** Driver, clock, player or seed changed. */
  changed?(): void;
  /** The model failed; the session has paused. */
  failed?(error: unknown): void;
}

/** One move of the model with all that led to it. */
export interface PlayedMove {
  /** The state that was judged. */
  readonly before: GameState;
  readonly decision: Decision;
  readonly choice: Choice;
}

/** Milliseconds between two steps of gravity while a person plays. */
const gravityIntervalMs = 200;

/** A game and who plays it: it holds the clock, asks the model, and keeps the rules. Time runs in steps, so the game waits for a slow model. */
export class GameSession {
  #state: GameState;
  #seed: number;
  #driver: Driver = 'model';
  #player: Player | undefined;
  #isRunning = false;
  #isDeciding = false;
  /** Counts games, so that a decision about an earlier one is dropped. */
  #game = 0;
  #intervalMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastStepMs = 0;
  readonly #listeners: SessionListener[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#state = newGame(seed);
  }

  get state(): GameState {
    return this.#state;
  }

  get seed(): number {
    return this.#seed;
  }

  get driver(): Driver {
    return this.#driver;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether the model's clock can run or step now. */
  get canStep(): boolean {
    return this.#driver === 'model' && this.#player !== undefined && !this.#state.over;
  }

  /** Whether the model is at work on a decision. */
  get isDeciding(): boolean {
    return this.#isDeciding;
  }

  listen(listener: SessionListener): void {
    this.#listeners.push(listener);
  }

  /** Gives the session a model, or takes it away. */
  setPlayer(player: Player | undefined): void {
    this.#player = player;
    this.#update();
  }

  /** The shortest time from one step of the model to its next. */
  setInterval(intervalMs: number): void {
    this.#intervalMs = intervalMs;
    this.#update();
  }

  setDriver(driver: Driver): void {
    this.#driver = driver;
    this.#update();
  }

  start(): void {
    this.#isRunning = !this.#state.over;
    this.#update();
  }

  pause(): void {
    this.#isRunning = false;
    this.#update();
  }

  /** Begins a new game, running if the last one was or had ended. */
  restart(seed: number): void {
    this.#isRunning ||= this.#state.over;
    this.#seed = seed;
    this.#state = newGame(seed);
    this.#game++;
    for (const listener of this.#listeners) listener.restarted?.(this.#state);
    this.#update();
  }

  /** Plays a person's action if it is their turn and the action is legal; the clock starts with it. Returns whether it was played. */
  act(action: Action): boolean {
    if (this.#driver !== 'you' || !isLegal(this.#state, action)) return false;
    this.#isRunning = true;
    this.#move(action);
    return true;
  }

  /**
   * Lets the model decide once and plays its choice.
   * @returns undefined if no model is there, the game is over, a decision is under way, or the game or the player changed meanwhile.
   * @throws what the player throws.
   */
  async playMove(): Promise<PlayedMove | undefined> {
    const player = this.#player;
    if (player === undefined || this.#isDeciding || this.#state.over) return undefined;
    const before = this.#state;
    const game = this.#game;
    this.#isDeciding = true;
    try {
      this.#notifyChanged();
      const decision = await player.decide(writePrompt(before));
      if (game !== this.#game || player !== this.#player || this.#driver !== 'model') return undefined;
      const choice = choose(before, decision.scores);
      for (const listener of this.#listeners) listener.decided?.(before, decision, choice);
      this.#move(choice.action);
      return { before, decision, choice };
    } finally {
      this.#isDeciding = false;
      this.#update();
    }
  }

  /** As {@link playMove}, for buttons and clocks: a failure pauses the game and is told to the listeners. */
  step(): void {
    const player = this.#player;
    this.playMove().catch((error: unknown) => {
      if (player !== this.#player) return; // The page has replaced this player already.
      this.#player = undefined;
      this.pause();
      for (const listener of this.#listeners) listener.failed?.(error);
    });
  }

  #move(action: Action): void {
    const before = this.#state;
    this.#state = step(before, action);
    this.#lastStepMs = performance.now();
    if (this.#state.over) this.#isRunning = false;
    for (const listener of this.#listeners) listener.moved?.(before, action, this.#state);
    this.#update();
  }

  /** Tells the listeners and winds the clock anew. */
  #update(): void {
    clearTimeout(this.#timer);
    if (this.#isRunning && this.#driver === 'you') {
      this.#timer = setTimeout(() => {
        this.#move(Action.wait);
      }, gravityIntervalMs);
    } else if (this.#isRunning && this.canStep && !this.#isDeciding) {
      const waitMs = this.#lastStepMs + this.#intervalMs - performance.now();
      this.#timer = setTimeout(
        () => {
          this.step();
        },
        Math.max(0, waitMs),
      );
    }
    this.#notifyChanged();
  }

  #notifyChanged(): void {
    for (const listener of this.#listeners) listener.changed?.();
  }
}
