import { BOARD_HEIGHT, BOARD_WIDTH, FULL_ROW, fits, restingRow, type Rows } from './board.ts';
import { NUM_ROTATIONS, pieceAt, PIECES, shapeAt } from './pieces.ts';
import { drawBelow } from './random.ts';

/** The eight actions in the order of the model's classes. */
export const ACTIONS = [
  'left',
  'right',
  'rotate clockwise',
  'rotate counter-clockwise',
  'soft drop',
  'hard drop',
  'hold',
  'wait',
] as const;

/** Number of actions, and of the model's classes. */
export const NUM_ACTIONS = ACTIONS.length;

/** Class index of each action. */
export const Action = {
  left: 0,
  right: 1,
  rotateClockwise: 2,
  rotateCounterClockwise: 3,
  softDrop: 4,
  hardDrop: 5,
  hold: 6,
  wait: 7,
} as const;

/** A class index, 0…7. */
export type Action = (typeof Action)[keyof typeof Action];

/** Steps between two rows of free fall. */
export const STEPS_PER_ROW = 4;

/** A game: plain data, never changed in place. */
export interface GameState {
  /** Board cells, row by row from the bottom: 0 is empty, otherwise the locked piece's index + 1. Shared between states; do not write. */
  readonly cells: Uint8Array;
  /** The falling piece. */
  readonly piece: number;
  /** Quarter turns clockwise, 0…3. */
  readonly rotation: number;
  /** Leftmost column of the falling piece. */
  readonly column: number;
  /** Lowest row of the falling piece, 0 is the floor. */
  readonly row: number;
  /** Steps since the piece last fell, 0…3. */
  readonly fallCounter: number;
  /** The piece in hold, or null. */
  readonly hold: number | null;
  /** Whether hold was used for this piece already. */
  readonly holdUsed: boolean;
  /** The next two pieces. */
  readonly queue: readonly [number, number];
  /** What is left of the shuffled bag that feeds the queue. */
  readonly bag: readonly number[];
  /** State of the generator that shuffles the bags. */
  readonly randomState: number;
  readonly score: number;
  /** Rows cleared. */
  readonly lines: number;
  /** Pieces locked. */
  readonly pieces: number;
  /** Actions taken. */
  readonly steps: number;
  readonly over: boolean;
}

const rowsByCells = new WeakMap<Uint8Array, Rows>();

/** The board as row masks. Computed once for each board, since most steps leave the board as it is. */
export function boardRows(state: GameState): Rows {
  let rows = rowsByCells.get(state.cells);
  if (rows === undefined) {
    rows = new Uint16Array(BOARD_HEIGHT);
    for (let i = 0; i < state.cells.length; i++) {
      if (state.cells[i] === 0) continue;
      const row = Math.floor(i / BOARD_WIDTH);
      rows[row] = (rows[row] ?? 0) | (1 << (i % BOARD_WIDTH));
    }
    rowsByCells.set(state.cells, rows);
  }
  return rows;
}

interface Supply {
  readonly bag: readonly number[];
  readonly randomState: number;
}

/** Takes the next piece of the supply, shuffling a new bag (Fisher–Yates) when the last is used up. */
function nextPiece({ bag, randomState }: Supply): Supply & { readonly piece: number } {
  const [first, ...rest] = bag;
  if (first !== undefined) return { piece: first, bag: rest, randomState };
  const shuffled = PIECES.map((_, index) => index);
  let state = randomState;
  for (let last = shuffled.length - 1; last > 0; last--) {
    const { value, state: next } = drawBelow(state, last + 1);
    state = next;
    [shuffled[last], shuffled[value]] = [shuffled[value] ?? 0, shuffled[last] ?? 0];
  }
  return nextPiece({ bag: shuffled, randomState: state });
}

/** Where a piece enters the board: in its first rotation, centred, touching the top. */
export function spawnPlace(piece: number): {
  readonly rotation: number;
  readonly column: number;
  readonly row: number;
} {
  const shape = shapeAt(piece, 0);
  return { rotation: 0, column: (BOARD_WIDTH - shape.width) >> 1, row: BOARD_HEIGHT - shape.height };
}

/** Whether a piece can enter the board. */
export function canSpawn(rows: Rows, piece: number): boolean {
  const { column, row } = spawnPlace(piece);
  return fits(rows, shapeAt(piece, 0), column, row);
}

function withPiece(state: GameState, piece: number): GameState {
  const over = state.over || !canSpawn(boardRows(state), piece);
  return { ...state, ...spawnPlace(piece), piece, fallCounter: 0, over };
}

function withNextPiece(state: GameState): GameState {
  const { piece, bag, randomState } = nextPiece(state);
  return withPiece({ ...state, queue: [state.queue[1], piece], bag, randomState }, state.queue[0]);
}

/** Starts a game; equal seeds and equal actions give equal games. */
export function newGame(seed: number): GameState {
  const first = nextPiece({ bag: [], randomState: seed >>> 0 });
  const second = nextPiece(first);
  const third = nextPiece(second);
  return {
    cells: new Uint8Array(BOARD_WIDTH * BOARD_HEIGHT),
    piece: first.piece,
    ...spawnPlace(first.piece),
    fallCounter: 0,
    hold: null,
    holdUsed: false,
    queue: [second.piece, third.piece],
    bag: third.bag,
    randomState: third.randomState,
    score: 0,
    lines: 0,
    pieces: 0,
    steps: 0,
    over: false,
  };
}

/** A falling piece's place. */
export interface Place {
  readonly rotation: number;
  readonly column: number;
  readonly row: number;
}

/** Columns tried in turn when a rotated piece does not fit where it is. */
const KICKS = [0, -1, 1, -2, 2];

/**
 * The place of a piece after a quarter turn, or null if it fits nowhere near.
 *
 * The box keeps its centre (rounded towards the old column, so that turning back undoes a turn) and its top row.
 */
export function rotated(rows: Rows, piece: number, from: Place, quarterTurns: 1 | 3): Place | null {
  const rotation = (from.rotation + quarterTurns) % NUM_ROTATIONS;
  const before = shapeAt(piece, from.rotation);
  const after = shapeAt(piece, rotation);
  const column = from.column + Math.trunc((before.width - after.width) / 2);
  const row = from.row + before.height - after.height;
  for (const kick of KICKS) {
    if (fits(rows, after, column + kick, row)) return { rotation, column: column + kick, row };
  }
  return null;
}

/** The piece that hold would bring into play: the held one, or the next one while hold is empty. */
export function pieceAfterHold(state: GameState): number {
  return state.hold ?? state.queue[0];
}

/** Whether hold is allowed: once for each piece, and only if the piece it brings can enter the board. */
export function canHold(state: GameState): boolean {
  return !state.holdUsed && canSpawn(boardRows(state), pieceAfterHold(state));
}

/** The place an action of moving or turning leads to, or null where the way is blocked or the action moves nothing. */
export function movedPlace(rows: Rows, piece: number, from: Place, action: Action): Place | null {
  switch (action) {
    case Action.left:
    case Action.right: {
      const column = from.column + (action === Action.left ? -1 : 1);
      return fits(rows, shapeAt(piece, from.rotation), column, from.row)
        ? { rotation: from.rotation, column, row: from.row }
        : null;
    }
    case Action.rotateClockwise:
      return rotated(rows, piece, from, 1);
    case Action.rotateCounterClockwise:
      return rotated(rows, piece, from, 3);
    default:
      return null;
  }
}

/** Whether an action is legal. Soft drop, hard drop and wait always are, until the game is over. */
export function isLegal(state: GameState, action: Action): boolean {
  if (state.over) return false;
  switch (action) {
    case Action.softDrop:
    case Action.hardDrop:
    case Action.wait:
      return true;
    case Action.hold:
      return canHold(state);
    default:
      return movedPlace(boardRows(state), state.piece, state, action) !== null;
  }
}

/** The legal actions as a bit mask: bit i is action i. Zero when the game is over. */
export function legalMask(state: GameState): number {
  let mask = 0;
  for (const action of Object.values(Action)) if (isLegal(state, action)) mask |= 1 << action;
  return mask;
}

/** The legal actions in class order. Empty when the game is over. */
export function legalActions(state: GameState): Action[] {
  return Object.values(Action).filter((action) => isLegal(state, action));
}

/** Score of clearing 0…4 rows at once. */
const LINE_SCORES = [0, 10, 30, 60, 100];

/** Writes the falling piece into the board, clears complete rows and brings the next piece. */
function locked(state: GameState): GameState {
  const shape = shapeAt(state.piece, state.rotation);
  const filled = state.cells.slice();
  shape.rows.forEach((mask, i) => {
    for (let column = 0; column < shape.width; column++) {
      if ((mask >> column) & 1)
        filled[(state.row + i) * BOARD_WIDTH + state.column + column] = state.piece + 1;
    }
  });
  const rows = boardRows({ ...state, cells: filled });
  let cells = filled;
  let cleared = 0;
  if (rows.includes(FULL_ROW)) {
    cells = new Uint8Array(filled.length);
    let kept = 0;
    rows.forEach((mask, row) => {
      if (mask === FULL_ROW) return;
      cells.set(filled.subarray(row * BOARD_WIDTH, (row + 1) * BOARD_WIDTH), kept++ * BOARD_WIDTH);
    });
    cleared = BOARD_HEIGHT - kept;
  }
  return withNextPiece({
    ...state,
    cells,
    holdUsed: false,
    score: state.score + 1 + (LINE_SCORES[cleared] ?? 0),
    lines: state.lines + cleared,
    pieces: state.pieces + 1,
  });
}

/** Lowers the piece by a row, or locks it where it rests. */
function lowered(state: GameState): GameState {
  const shape = shapeAt(state.piece, state.rotation);
  if (!fits(boardRows(state), shape, state.column, state.row - 1)) return locked(state);
  return { ...state, row: state.row - 1, fallCounter: 0 };
}

function withHold(state: GameState): GameState {
  const held = { ...state, hold: state.piece, holdUsed: true };
  return state.hold === null ? withNextPiece(held) : withPiece(held, state.hold);
}

/**
 * Plays one action and then gravity, and returns the new state.
 *
 * A drop or a hold is the whole step; after any other action the piece falls one row on every fourth step.
 *
 * @throws RangeError when the action is not legal in this state.
 */
export function step(state: GameState, action: Action): GameState {
  if (!isLegal(state, action)) {
    throw new RangeError(`action: expected one of [${legalActions(state).join(', ')}], found ${action}`);
  }
  const rows = boardRows(state);
  const counted = { ...state, steps: state.steps + 1 };
  switch (action) {
    case Action.softDrop:
      return lowered(counted);
    case Action.hardDrop:
      return locked({
        ...counted,
        row: restingRow(rows, shapeAt(state.piece, state.rotation), state.column, state.row),
      });
    case Action.hold:
      return withHold(counted);
    default: {
      const moved = { ...counted, ...(movedPlace(rows, state.piece, state, action) ?? {}) };
      if (state.fallCounter + 1 === STEPS_PER_ROW) return lowered(moved);
      return { ...moved, fallCounter: state.fallCounter + 1 };
    }
  }
}

/** The letter of a piece, `-` for none. */
export function pieceLetter(piece: number | null): string {
  return piece === null ? '-' : pieceAt(piece).letter;
}
