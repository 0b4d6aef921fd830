import { BOARD_HEIGHT, BOARD_WIDTH, FULL_ROW, POPCOUNT, type Rows } from './board.ts';
import type { Shape } from './pieces.ts';

/**
 * Weights of the linear evaluation, one for each feature.
 *
 * **Source** The feature set and the proportions follow Dellacherie's player as extended by Thiery and Scherrer,
 * "Improvements on learning Tetris with cross-entropy" (2009), rounded.
 */
const WEIGHTS = {
  landingHeight: -12.6,
  erodedCells: 6.6,
  rowTransitions: -9.2,
  columnTransitions: -19.8,
  holes: -13.1,
  wells: -10.5,
  holeDepth: -1.6,
  rowsWithHoles: -24,
} as const;

/** Changes between filled and empty along a row between two filled walls, for each row mask. */
const ROW_TRANSITIONS = Uint8Array.from({ length: FULL_ROW + 1 }, (_, mask) => {
  const walled = (mask << 1) | 1 | (1 << (BOARD_WIDTH + 1));
  const changes = (walled ^ (walled >> 1)) & ((1 << (BOARD_WIDTH + 1)) - 1);
  return (POPCOUNT[changes & FULL_ROW] ?? 0) + (changes >> BOARD_WIDTH);
});

const wellDepths = new Uint8Array(BOARD_WIDTH);

/** Sums 1 + 2 + … + depth over the wells: uncovered cells with both neighbours filled, walls counting as filled. */
function cumulativeWells(rows: Rows, top: number): number {
  wellDepths.fill(0);
  let covered = 0;
  let sum = 0;
  for (let row = top - 1; row >= 0; row--) {
    const mask = rows[row] ?? 0;
    covered |= mask;
    const beside = ((mask << 1) | 1) & ((mask >> 1) | (1 << (BOARD_WIDTH - 1)));
    for (let wells = ~covered & beside & FULL_ROW; wells !== 0; wells &= wells - 1) {
      const column = 31 - Math.clz32(wells & -wells);
      const depth = (wellDepths[column] ?? 0) + 1;
      wellDepths[column] = depth;
      sum += depth;
    }
  }
  return sum;
}

/** Counts the filled cells stacked directly above a hole. */
function cellsAbove(rows: Rows, row: number, bit: number): number {
  let count = 0;
  for (let above = row + 1; above < BOARD_HEIGHT && ((rows[above] ?? 0) & bit) !== 0; above++) count++;
  return count;
}

/** The value of a settled board: higher is better, 0 is an empty one's neighbourhood. */
export function boardValue(rows: Rows): number {
  let top = BOARD_HEIGHT;
  while (top > 0 && rows[top - 1] === 0) top--;
  let rowTransitions = 0;
  let columnTransitions = 0;
  let holes = 0;
  let holeDepth = 0;
  let rowsWithHoles = 0;
  let covered = 0;
  let above = 0;
  for (let row = top - 1; row >= 0; row--) {
    const mask = rows[row] ?? 0;
    rowTransitions += ROW_TRANSITIONS[mask] ?? 0;
    columnTransitions += POPCOUNT[mask ^ above] ?? 0;
    covered |= mask;
    const rowHoles = covered & ~mask;
    if (rowHoles !== 0) {
      rowsWithHoles++;
      holes += POPCOUNT[rowHoles] ?? 0;
      for (let rest = rowHoles; rest !== 0; rest &= rest - 1)
        holeDepth += cellsAbove(rows, row, rest & -rest);
    }
    above = mask;
  }
  columnTransitions += POPCOUNT[above ^ FULL_ROW] ?? 0;
  return (
    WEIGHTS.rowTransitions * rowTransitions +
    WEIGHTS.columnTransitions * columnTransitions +
    WEIGHTS.holes * holes +
    WEIGHTS.wells * cumulativeWells(rows, top) +
    WEIGHTS.holeDepth * holeDepth +
    WEIGHTS.rowsWithHoles * rowsWithHoles
  );
}

/** The value of the act of placing a shape in a row of the board before it: low and clearing is better. */
export function placementValue(rows: Rows, shape: Shape, column: number, row: number): number {
  let cleared = 0;
  let ownCells = 0;
  for (let i = 0; i < shape.height; i++) {
    const mask = shape.rows[i] ?? 0;
    if (((rows[row + i] ?? 0) | (mask << column)) === FULL_ROW) {
      cleared++;
      ownCells += POPCOUNT[mask] ?? 0;
    }
  }
  return WEIGHTS.landingHeight * (row + (shape.height - 1) / 2) + WEIGHTS.erodedCells * cleared * ownCells;
}
