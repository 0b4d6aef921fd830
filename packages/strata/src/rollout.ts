import { Action, ACTIONS, legalMask, newGame, step, type GameState } from './game.ts';
import { encodePrompt, PROMPT_TOKENS, writePrompt } from './prompt.ts';
import { NUM_SLOTS, Teacher, type Decision } from './teacher.ts';

/** Byte offsets within the record that a {@link Rollout} writes for each game and round. */
export const RecordOffset = {
  /** Token ids of the prompt, one byte each. */
  ids: 0,
  /** Per placement slot, how much worse than the best it is, 0…254; 255 where there is no such placement. */
  costs: PROMPT_TOKENS,
  /** The teacher's action. */
  action: PROMPT_TOKENS + NUM_SLOTS,
  /** The slot of the teacher's target, 255 for none. */
  slot: PROMPT_TOKENS + NUM_SLOTS + 1,
  /** Bit mask of the legal actions; 0 once a game that is not restarted has ended. */
  legal: PROMPT_TOKENS + NUM_SLOTS + 2,
  /** How the game before this one ended, in the first record after that; see {@link GameEvent}. */
  event: PROMPT_TOKENS + NUM_SLOTS + 3,
  /** Pieces of the ended game, 16 bits, little-endian. */
  pieces: PROMPT_TOKENS + NUM_SLOTS + 4,
  /** Rows cleared in the ended game, 16 bits, little-endian. */
  lines: PROMPT_TOKENS + NUM_SLOTS + 6,
} as const;

/** Length of a record. */
export const RECORD_SIZE_BYTES = PROMPT_TOKENS + NUM_SLOTS + 8;

/** Value of a record's event byte. */
export const GameEvent = { none: 0, toppedOut: 1, reachedLastPiece: 2 } as const;

/** Marks an absent slot or placement. */
const ABSENT = 255;

/** What a {@link Rollout} plays. */
export interface RolloutOptions {
  /** Games played side by side. */
  readonly games: number;
  /** Seed of the first game; each further game takes the next one. */
  readonly firstSeed: number;
  /** Pieces after which a game ends. */
  readonly pieces: number;
  /** Whether an ended game is followed by a new one. */
  readonly restart: boolean;
}

interface Seat {
  state: GameState;
  teacher: Teacher;
  ended: boolean;
}

/**
 * Plays games for a learner: writes what it should see and what the teacher would do, and plays what the learner answers.
 */
export class Rollout {
  readonly #options: RolloutOptions;
  readonly #seats: Seat[];
  readonly #records: Uint8Array;
  readonly #view: DataView;
  #nextSeed: number;

  /** Starts the games and writes their first records. */
  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#nextSeed = options.firstSeed;
    this.#seats = Array.from({ length: options.games }, () => this.#newSeat());
    this.#records = new Uint8Array(options.games * RECORD_SIZE_BYTES);
    this.#view = new DataView(this.#records.buffer);
    this.#seats.forEach((seat, game) => {
      this.#writeRecord(seat, game * RECORD_SIZE_BYTES);
    });
  }

  /** The current round: one record for each game, in order. Overwritten by {@link play}. */
  get records(): Uint8Array {
    return this.#records;
  }

  /** Plays one action byte for each game and writes the next round. The byte of an ended game is ignored. */
  play(actions: Uint8Array): void {
    this.#seats.forEach((seat, game) => {
      const offset = game * RECORD_SIZE_BYTES;
      this.#records.fill(0, offset + RecordOffset.event, offset + RECORD_SIZE_BYTES);
      if (!seat.ended) this.#playSeat(seat, toAction(actions[game]), offset);
    });
  }

  #newSeat(): Seat {
    return { state: newGame(this.#nextSeed++), teacher: new Teacher(), ended: false };
  }

  #playSeat(seat: Seat, action: Action, offset: number): void {
    seat.state = step(seat.state, action);
    const { over, pieces, lines } = seat.state;
    if (over || pieces >= this.#options.pieces) {
      this.#records[offset + RecordOffset.event] =
        pieces >= this.#options.pieces ? GameEvent.reachedLastPiece : GameEvent.toppedOut;
      this.#view.setUint16(offset + RecordOffset.pieces, pieces, true);
      this.#view.setUint16(offset + RecordOffset.lines, lines, true);
      if (!this.#options.restart) {
        seat.ended = true;
        this.#records[offset + RecordOffset.legal] = 0;
        return;
      }
      Object.assign(seat, this.#newSeat());
    }
    this.#writeRecord(seat, offset);
  }

  #writeRecord({ state, teacher }: Seat, offset: number): void {
    const decision = teacher.decide(state);
    this.#records.set(encodePrompt(writePrompt(state)), offset + RecordOffset.ids);
    writeCosts(this.#records.subarray(offset + RecordOffset.costs, offset + RecordOffset.action), decision);
    this.#records[offset + RecordOffset.action] = decision.action;
    this.#records[offset + RecordOffset.slot] = decision.target?.slot ?? ABSENT;
    this.#records[offset + RecordOffset.legal] = legalMask(state);
  }
}

function toAction(byte: number | undefined): Action {
  const action = Object.values(Action).find((value) => value === byte);
  if (action === undefined)
    throw new RangeError(`action byte: expected 0…${ACTIONS.length - 1}, found ${byte ?? 'none'}`);
  return action;
}

function writeCosts(costs: Uint8Array, { ranked }: Decision): void {
  costs.fill(ABSENT);
  const best = ranked[0]?.value ?? 0;
  for (const { slot, value } of ranked) costs[slot] = Math.min(Math.round(best - value), ABSENT - 1);
}
