import {
  bestLegalAction,
  legalMask,
  playGames,
  randomPolicy,
  teacherPolicy,
  writePrompt,
  type Action,
  type GameResult,
  type GameState,
  type Policy,
} from '@tromino/strata';

/** Scores of the eight actions for each prompt, in the order of the prompts. */
export type ScorePrompts = (prompts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

/** What the model saw, answered and played. */
export interface ModelDecision {
  readonly prompt: string;
  readonly scores: readonly number[];
  /** Bit mask of the legal actions. */
  readonly legal: number;
  readonly action: Action;
}

/** How the players are compared. */
export interface EvaluationOptions {
  readonly games: number;
  readonly pieces: number;
  /** Game i has seed `firstSeed + i`, the same for every player. */
  readonly firstSeed: number;
  /** Most prompts that are scored in one batch. */
  readonly maxBatch: number;
  readonly scorePrompts: ScorePrompts;
  /** Gets each decision of the model. */
  readonly onDecision?: (decision: ModelDecision) => void;
  /** Gets a line now and then; a game of many pieces takes a while. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** How one player did over all games. */
export interface PlayerResult {
  readonly player: 'model' | 'teacher' | 'random legal';
  readonly games: readonly GameResult[];
}

/** Plays the same seeded games with the model's highest-scoring legal action, the search teacher, and random legal actions. */
export async function evaluatePlayers(options: EvaluationOptions): Promise<readonly PlayerResult[]> {
  const { games, pieces, firstSeed, signal } = options;
  const seeds = Array.from({ length: games }, (_, index) => firstSeed + index);
  const play = async (player: PlayerResult['player'], policy: Policy): Promise<PlayerResult> => ({
    player,
    games: await playGames({
      policy,
      seeds,
      pieces,
      ...(signal && { signal }),
      onStep: progressReporter(player, options),
    }),
  });
  return [
    await play('model', modelPolicy(options.scorePrompts, options.maxBatch, options.onDecision)),
    await play('teacher', teacherPolicy()),
    await play('random legal', randomPolicy(firstSeed)),
  ];
}

/** The model as a player: prompts in batches of at most `maxBatch`, and of the scores the best legal action. */
export function modelPolicy(
  scorePrompts: ScorePrompts,
  maxBatch: number,
  onDecision?: (decision: ModelDecision) => void,
): Policy {
  return async (states) => {
    const actions: Action[] = [];
    for (let start = 0; start < states.length; start += maxBatch) {
      const batch = states.slice(start, start + maxBatch);
      const prompts = batch.map(writePrompt);
      const scored = await scorePrompts(prompts);
      for (const [i, state] of batch.entries()) {
        const scores = Array.from(scored[i] ?? []);
        const action = bestLegalAction(state, scores);
        actions.push(action);
        onDecision?.({ prompt: prompts[i] ?? '', scores, legal: legalMask(state), action });
      }
    }
    return actions;
  };
}

const stepsBetweenReports = 50;

function progressReporter(
  player: string,
  { pieces, onProgress }: EvaluationOptions,
): (states: readonly GameState[]) => void {
  let steps = 0;
  return (states) => {
    if (++steps % stepsBetweenReports > 0) return;
    const running = states.filter((state) => !state.over && state.pieces < pieces);
    const fewest = Math.min(...running.map((state) => state.pieces), pieces);
    onProgress?.(
      `${player}: step ${steps}, ${running.length} games running, ${fewest} pieces or more locked`,
    );
  };
}
