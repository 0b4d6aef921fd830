import type { Shape } from './pieces.ts';

/** Columns of the board. */
export const BOARD_WIDTH = 10;
/** Rows of the board. */
export const BOARD_HEIGHT = 20;
/** The mask of a complete row. */
export const FULL_ROW = (1 << BOARD_WIDTH) - 1;

/** Row masks from the bottom row up; bit 0 is the leftmost column. */
export type Rows = Uint16Array;

/** Number of set bits of each mask of a row's width. */
export const POPCOUNT = Uint8Array.from({ length: FULL_ROW + 1 }, (_, mask) => {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
});

/** Whether a shape fits with its box's lower left corner at (column, row): inside the board, on empty cells. */
export function fits(rows: Rows, shape: Shape, column: number, row: number): boolean {
  if (column < 0 || column + shape.width > BOARD_WIDTH || row < 0 || row + shape.height > BOARD_HEIGHT)
    return false;
  for (let i = 0; i < shape.height; i++) {
    if (((rows[row + i] ?? 0) & ((shape.rows[i] ?? 0) << column)) !== 0) return false;
  }
  return true;
}

/** The row in which a shape comes to rest when it falls straight down from `row`. */
export function restingRow(rows: Rows, shape: Shape, column: number, row: number): number {
  let rest = row;
  while (fits(rows, shape, column, rest - 1)) rest--;
  return rest;
}

/** Per column, the number of rows up to and including its highest filled cell. */
export function columnHeights(rows: Rows, heights: Uint8Array): Uint8Array {
  heights.fill(0);
  let unseen = FULL_ROW;
  for (let row = BOARD_HEIGHT - 1; row >= 0 && unseen !== 0; row--) {
    for (let found = (rows[row] ?? 0) & unseen; found !== 0; found &= found - 1) {
      heights[31 - Math.clz32(found & -found)] = row + 1;
    }
    unseen &= ~(rows[row] ?? 0);
  }
  return heights;
}

/** The row in which a shape dropped from above the board comes to rest, or −1 if it would stick out of the top. */
export function landingRow(heights: Uint8Array, shape: Shape, column: number): number {
  if (column + shape.width > BOARD_WIDTH) return -1;
  let row = 0;
  for (let i = 0; i < shape.width; i++) {
    row = Math.max(row, (heights[column + i] ?? 0) - (shape.bottoms[i] ?? 0));
  }
  return row + shape.height > BOARD_HEIGHT ? -1 : row;
}

/** Empty cells that a shape resting at (column, row) would newly shut off from above. */
export function buriedCells(heights: Uint8Array, shape: Shape, column: number, row: number): number {
  let buried = 0;
  for (let i = 0; i < shape.width; i++) buried += row + (shape.bottoms[i] ?? 0) - (heights[column + i] ?? 0);
  return buried;
}

/** Rows that a shape at (column, row) would complete. */
export function completedRows(rows: Rows, shape: Shape, column: number, row: number): number {
  let completed = 0;
  for (let i = 0; i < shape.height; i++) {
    if (((rows[row + i] ?? 0) | ((shape.rows[i] ?? 0) << column)) === FULL_ROW) completed++;
  }
  return completed;
}

/** Writes `source` with a shape added at (column, row) and complete rows removed into `target`; returns the rows removed. */
export function placeInto(target: Rows, source: Rows, shape: Shape, column: number, row: number): number {
  target.set(source);
  for (let i = 0; i < shape.height; i++) {
    target[row + i] = (target[row + i] ?? 0) | ((shape.rows[i] ?? 0) << column);
  }
  let kept = row;
  for (let from = row; from < BOARD_HEIGHT; from++) {
    const mask = target[from] ?? 0;
    if (mask !== FULL_ROW) target[kept++] = mask;
  }
  const cleared = BOARD_HEIGHT - kept;
  target.fill(0, kept);
  return cleared;
}
