import {
  Action,
  BOARD_HEIGHT,
  BOARD_WIDTH,
  boardRows,
  restingRow,
  shapeAt,
  step,
  type GameState,
} from '@tromino/strata';

/** A falling piece and where it is. */
export interface PlacedPiece {
  readonly piece: number;
  readonly rotation: number;
  readonly column: number;
  readonly row: number;
}

/** What one step of the game did to the board, for showing it. */
export interface Transition {
  /** Where the piece was, if it fell or moved and is still falling. */
  readonly movedFrom: PlacedPiece | undefined;
  /** The piece that came to rest, and the row it fell from. */
  readonly locked: (PlacedPiece & { readonly fellFromRow: number }) | undefined;
  /** The board with the resting piece in it, before complete rows are taken out. */
  readonly filledCells: Uint8Array;
  /** Complete rows of that board, from the bottom up. */
  readonly clearedRows: readonly number[];
}

/** Finds what `action` did between two states. */
export function transitionOf(before: GameState, action: Action, after: GameState): Transition {
  if (after.pieces === before.pieces) {
    const movedFrom = action === Action.hold ? undefined : before;
    return { movedFrom, locked: undefined, filledCells: after.cells, clearedRows: [] };
  }
  const rested = restingPlace(before, action);
  const filledCells = withPiece(before.cells, rested);
  return {
    movedFrom: undefined,
    locked: { ...rested, fellFromRow: before.row },
    filledCells,
    clearedRows: completeRows(filledCells),
  };
}

/** The place in which the piece came to rest under an action that locked it. */
function restingPlace(before: GameState, action: Action): PlacedPiece {
  const { piece, rotation, column, row } = before;
  if (action === Action.hardDrop) {
    return {
      piece,
      rotation,
      column,
      row: restingRow(boardRows(before), shapeAt(piece, rotation), column, row),
    };
  }
  if (action === Action.softDrop) return before;
  // The move alone, without the fall that followed it.
  return step({ ...before, fallCounter: 0 }, action);
}

/** Index into a state's cells. */
export function cellIndex(column: number, row: number): number {
  return row * BOARD_WIDTH + column;
}

/** The cells that a piece covers. */
export function cellsOf({ piece, rotation, column, row }: PlacedPiece): { column: number; row: number }[] {
  return shapeAt(piece, rotation).rows.flatMap((mask, i) =>
    Array.from({ length: BOARD_WIDTH }, (_, bit) => bit)
      .filter((bit) => (mask >> bit) & 1)
      .map((bit) => ({ column: column + bit, row: row + i })),
  );
}

function withPiece(cells: Uint8Array, placed: PlacedPiece): Uint8Array {
  const filled = cells.slice();
  for (const { column, row } of cellsOf(placed)) filled[cellIndex(column, row)] = placed.piece + 1;
  return filled;
}

function completeRows(cells: Uint8Array): number[] {
  return Array.from({ length: BOARD_HEIGHT }, (_, row) => row).filter((row) =>
    cells.subarray(cellIndex(0, row), cellIndex(0, row + 1)).every((cell) => cell !== 0),
  );
}
