import {
  BOARD_HEIGHT,
  BOARD_WIDTH,
  columnHeights,
  fits,
  landingRow,
  placeInto,
  restingRow,
  type Rows,
} from './board.ts';
import { boardValue, placementValue } from './evaluation.ts';
import {
  Action,
  boardRows,
  canHold,
  canSpawn,
  movedPlace,
  pieceAfterHold,
  STEPS_PER_ROW,
  type GameState,
  type Place,
} from './game.ts';
import { NUM_ROTATIONS, pieceAt, shapeAt } from './pieces.ts';

/** Number of placements a state can name: 2 menus (with and without hold) × 4 rotations × 10 columns. */
export const NUM_SLOTS = 2 * NUM_ROTATIONS * BOARD_WIDTH;

/** The slot of a placement: menu 0 for the current piece, 1 for the piece that hold brings. */
export function slotOf(useHold: boolean, rotation: number, column: number): number {
  return ((useHold ? 1 : 0) * NUM_ROTATIONS + rotation) * BOARD_WIDTH + column;
}

/** A final place for the current or the held piece, and what the search thinks of it. */
export interface Placement {
  readonly slot: number;
  readonly useHold: boolean;
  /** The first rotation of this shape. */
  readonly rotation: number;
  readonly column: number;
  readonly row: number;
  /** Value after the best answer by the next piece; higher is better. */
  readonly value: number;
}

/** The teacher's choice in a state. */
export interface Decision {
  readonly action: Action;
  /** The placement it works towards; null if none can be reached any more. */
  readonly target: Placement | null;
  /** All placements of the search, best first, reachable or not. */
  readonly ranked: readonly Placement[];
}

/** What a placement is worth after which no piece can enter: below every board that goes on. */
const DEAD_VALUE = -100_000;

/** What bringing the held piece costs, so that hold is not used for nothing. */
const HOLD_COST = 3;

const firstRows: Rows = new Uint16Array(BOARD_HEIGHT);
const secondRows: Rows = new Uint16Array(BOARD_HEIGHT);
const firstHeights = new Uint8Array(BOARD_WIDTH);
const secondHeights = new Uint8Array(BOARD_WIDTH);

/** Calls back for each distinct drop of a piece from above the board. */
function forEachDrop(
  heights: Uint8Array,
  piece: number,
  visit: (rotation: number, column: number, row: number) => void,
): void {
  const { canonical, shapes } = pieceAt(piece);
  for (let rotation = 0; rotation < NUM_ROTATIONS; rotation++) {
    if (canonical[rotation] !== rotation) continue;
    const shape = shapes[rotation] ?? shapes[0];
    for (let column = 0; column + shape.width <= BOARD_WIDTH; column++) {
      const row = landingRow(heights, shape, column);
      if (row >= 0) visit(rotation, column, row);
    }
  }
}

/** The best value that the next piece can reach on a board. */
function bestAnswer(rows: Rows, piece: number): number {
  let best = DEAD_VALUE + boardValue(rows);
  if (!canSpawn(rows, piece)) return best;
  forEachDrop(columnHeights(rows, secondHeights), piece, (rotation, column, row) => {
    const shape = shapeAt(piece, rotation);
    const placed = placementValue(rows, shape, column, row);
    placeInto(secondRows, rows, shape, column, row);
    best = Math.max(best, placed + boardValue(secondRows));
  });
  return best;
}

function searchPiece(rows: Rows, piece: number, next: number, useHold: boolean): Placement[] {
  const found: Placement[] = [];
  forEachDrop(columnHeights(rows, firstHeights), piece, (rotation, column, row) => {
    const shape = shapeAt(piece, rotation);
    const placed = placementValue(rows, shape, column, row);
    placeInto(firstRows, rows, shape, column, row);
    const value = placed + bestAnswer(firstRows, next) - (useHold ? HOLD_COST : 0);
    found.push({ slot: slotOf(useHold, rotation, column), useHold, rotation, column, row, value });
  });
  return found;
}

/** Ranks every placement of the current and the held piece by a look-ahead over the next piece, best first. */
export function searchPlacements(state: GameState): Placement[] {
  const rows = boardRows(state);
  const found = searchPiece(rows, state.piece, state.queue[0], false);
  if (canHold(state)) {
    const next = state.queue[state.hold === null ? 1 : 0];
    found.push(...searchPiece(rows, pieceAfterHold(state), next, true));
  }
  return found.sort((a, b) => b.value - a.value || a.slot - b.slot);
}

/** The next action on the way rotate → shift → hard drop. */
function nextOnPath(piece: number, place: Place, target: Placement): Action {
  const { canonical } = pieceAt(piece);
  const turnsNeeded = [0, 1, 2, 3].find(
    (turns) => canonical[(place.rotation + turns) % NUM_ROTATIONS] === target.rotation,
  );
  if (turnsNeeded !== 0) return turnsNeeded === 3 ? Action.rotateCounterClockwise : Action.rotateClockwise;
  if (place.column !== target.column) return place.column > target.column ? Action.left : Action.right;
  return Action.hardDrop;
}

/**
 * The first action of the straight path to a placement of the current piece, or null if the path is blocked.
 *
 * The whole path is played through, gravity included, because a high pile can stop a piece half-way.
 */
export function pathAction(state: GameState, target: Placement): Action | null {
  const rows = boardRows(state);
  let place: Place = state;
  let fallCounter = state.fallCounter;
  let first: Action | null = null;
  for (let length = 0; length < BOARD_WIDTH + NUM_ROTATIONS; length++) {
    const action = nextOnPath(state.piece, place, target);
    first ??= action;
    const shape = shapeAt(state.piece, place.rotation);
    if (action === Action.hardDrop) {
      return restingRow(rows, shape, place.column, place.row) === target.row ? first : null;
    }
    const moved = movedPlace(rows, state.piece, place, action);
    if (moved === null) return null;
    place = moved;
    fallCounter++;
    if (fallCounter < STEPS_PER_ROW) continue;
    fallCounter = 0;
    if (!fits(rows, shapeAt(state.piece, place.rotation), place.column, place.row - 1)) return null;
    place = { ...place, row: place.row - 1 };
  }
  return null;
}

/**
 * A search player: looks two pieces ahead and walks to the best placement it can reach.
 *
 * One instance for each game: it remembers the last search, which holds until the piece locks or is swapped.
 */
export class Teacher {
  #searched: GameState | null = null;
  #ranked: readonly Placement[] = [];

  /** Decides the next action. A dead end gets a hard drop, which is always legal. */
  decide(state: GameState): Decision {
    const ranked = this.#search(state);
    for (const target of ranked) {
      const action = target.useHold ? Action.hold : pathAction(state, target);
      if (action !== null) return { action, target, ranked };
    }
    return { action: Action.hardDrop, target: null, ranked };
  }

  #search(state: GameState): readonly Placement[] {
    const last = this.#searched;
    const sameQuestion =
      last !== null &&
      last.cells === state.cells &&
      last.piece === state.piece &&
      last.hold === state.hold &&
      last.holdUsed === state.holdUsed &&
      last.queue[0] === state.queue[0] &&
      last.queue[1] === state.queue[1];
    if (!sameQuestion) this.#ranked = searchPlacements(state);
    this.#searched = state;
    return this.#ranked;
  }
}
