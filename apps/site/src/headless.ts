import { writePrompt, type GameState } from '@tromino/strata';
import type { AdapterDescription, ClassScore, MemoryReport } from 'tromino';
import type { GameSession } from './game_session.ts';
import type { PlayerInfo } from './player_protocol.ts';

/** One move as a program sees it. */
export interface HeadlessMove {
  /** The board that was judged: `#` stone, `@` falling, `:` where it would land. */
  readonly boardText: string;
  readonly scores: readonly ClassScore[];
  readonly choice: string;
  readonly durationMs: number;
}

/** What the page offers to a program that opens it with `?headless`: the game, one move at a time. */
export interface HeadlessStrata {
  /** Settles when the model is loaded, or with the reason why it is not. */
  readonly ready: Promise<void>;
  /** Who computes. @throws Error before `ready`. */
  readonly adapter: AdapterDescription;
  /** Lets the model decide and play one move. @throws Error when the game is over. */
  playMove(): Promise<HeadlessMove>;
  /** Bytes that the model owns. @throws Error before `ready`. */
  memory(): MemoryReport;
}

declare global {
  interface Window {
    /** Only in a page that was opened with `?headless`. */
    strata?: HeadlessStrata;
  }
}

/** Makes a session playable by a program. */
export function makeHeadless(session: GameSession, loading: Promise<PlayerInfo>): HeadlessStrata {
  let info: PlayerInfo | undefined;
  let memory: MemoryReport | undefined;
  const ready = loading.then((loaded) => {
    info = loaded;
    memory = loaded.memory;
  });
  ready.catch(() => undefined); // A program may look at it later; until then this is no uncaught error.
  const loaded = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the model is not loaded yet: await strata.ready');
    return value;
  };
  return {
    ready,
    get adapter() {
      return loaded(info).adapter;
    },
    memory: () => loaded(memory),
    async playMove() {
      const move = await session.playMove();
      if (move === undefined)
        throw new Error('no move to play: the game is over, or another move is under way');
      memory = move.decision.memory;
      return {
        boardText: boardText(move.before),
        scores: move.decision.scores,
        choice: move.choice.label,
        durationMs: move.decision.durationMs,
      };
    },
  };
}

/** The board's lines in the prompt: between the line about the piece and the two about the columns. */
function boardText(state: GameState): string {
  return writePrompt(state).split('\n').slice(1, 21).join('\n');
}
