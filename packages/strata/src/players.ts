import { Action, legalActions, newGame, step, type GameState } from './game.ts';
import { RandomSource } from './random.ts';
import { Teacher } from './teacher.ts';

/** Decides one action for each of a batch of games that are not over. */
export type Policy = (
  states: readonly GameState[],
  games: readonly number[],
) => Promise<readonly Action[]> | readonly Action[];

/** How one game went. */
export interface GameResult {
  readonly seed: number;
  /** Pieces locked. */
  readonly pieces: number;
  /** Rows cleared. */
  readonly lines: number;
  readonly score: number;
  /** Actions taken. */
  readonly steps: number;
  /** Whether the game went on until the last piece asked for. */
  readonly survived: boolean;
}

/** What {@link playGames} plays. */
export interface PlayOptions {
  readonly policy: Policy;
  /** One game for each seed. */
  readonly seeds: readonly number[];
  /** Each game ends after this many pieces, or before if the pile reaches the top. */
  readonly pieces: number;
  /** Stops the play between two steps. */
  readonly signal?: AbortSignal;
  /** Called after each step of all running games. */
  readonly onStep?: (states: readonly GameState[]) => void;
}

/**
 * Plays many games in lock-step, so that a policy can decide for all of them in one batch.
 *
 * The policy also receives the games' indices into `seeds`, for policies that remember something about each game.
 *
 * @throws RangeError when the policy gives another number of actions than states, or an illegal one.
 */
export async function playGames({
  policy,
  seeds,
  pieces,
  signal,
  onStep,
}: PlayOptions): Promise<GameResult[]> {
  const states = seeds.map(newGame);
  const running = (state: GameState): boolean => !state.over && state.pieces < pieces;
  for (;;) {
    signal?.throwIfAborted();
    const games = states.flatMap((state, game) => (running(state) ? [game] : []));
    if (games.length === 0) break;
    const batch = games.flatMap((game) => states[game] ?? []);
    const actions = await policy(batch, games);
    if (actions.length !== batch.length) {
      throw new RangeError(`policy: expected ${batch.length} actions, found ${actions.length}`);
    }
    batch.forEach((state, i) => {
      const game = games[i] ?? 0;
      states[game] = step(state, actions[i] ?? Action.wait);
    });
    onStep?.(states);
  }
  return states.map((state, game) => ({
    seed: seeds[game] ?? 0,
    pieces: state.pieces,
    lines: state.lines,
    score: state.score,
    steps: state.steps,
    survived: state.pieces >= pieces,
  }));
}

/** A policy that plays the teacher's action in every game. */
export function teacherPolicy(): Policy {
  const teachers = new Map<number, Teacher>();
  return (states, games) =>
    states.map((state, i) => {
      const game = games[i] ?? 0;
      const teacher = teachers.get(game) ?? new Teacher();
      teachers.set(game, teacher);
      return teacher.decide(state).action;
    });
}

/** A policy that plays a uniformly random legal action. */
export function randomPolicy(seed: number): Policy {
  const source = new RandomSource(seed);
  return (states) =>
    states.map((state) => {
      const actions = legalActions(state);
      return actions[source.below(actions.length)] ?? Action.wait;
    });
}

/** The highest-scoring legal action: what a classifier's scores mean. */
export function bestLegalAction(state: GameState, scores: ArrayLike<number>): Action {
  const [first = Action.wait, ...rest] = legalActions(state);
  return rest.reduce<Action>(
    (best, action) => ((scores[action] ?? -Infinity) > (scores[best] ?? -Infinity) ? action : best),
    first,
  );
}
