import { Action, isLegal, newGame, step, Teacher, type GameState } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { cellIndex, transitionOf } from './transition.ts';

function play(state: GameState, ...actions: Action[]): GameState {
  return actions.reduce(step, state);
}

describe('transitionOf', () => {
  it('says where a moved piece came from', () => {
    const before = newGame(1);
    const transition = transitionOf(before, Action.left, step(before, Action.left));
    expect(transition.movedFrom).toBe(before);
    expect(transition.locked).toBeUndefined();
    expect(transition.clearedRows).toEqual([]);
  });

  it('shows a held piece as no movement', () => {
    const before = newGame(1);
    expect(transitionOf(before, Action.hold, step(before, Action.hold)).movedFrom).toBeUndefined();
  });

  it('finds the resting place of a hard drop on the floor', () => {
    const before = newGame(1);
    const after = step(before, Action.hardDrop);
    const { locked, filledCells } = transitionOf(before, Action.hardDrop, after);
    expect(locked).toMatchObject({
      piece: before.piece,
      column: before.column,
      row: 0,
      fellFromRow: before.row,
    });
    expect(filledCells).toEqual(after.cells);
  });

  it('finds the place of a piece that moved and then locked by gravity', () => {
    let before = newGame(1);
    while (before.row > 0) before = step(before, Action.softDrop);
    before = play(before, Action.wait, Action.wait, Action.wait);
    const after = step(before, Action.left);
    expect(after.pieces).toBe(1);
    const { locked, filledCells } = transitionOf(before, Action.left, after);
    expect(locked).toMatchObject({ column: before.column - 1, row: 0 });
    expect(filledCells).toEqual(after.cells);
  });

  it('finds exactly the rows that a long game clears, whatever action cleared them', () => {
    const teacher = new Teacher();
    let state = newGame(5);
    let cleared = 0;
    while (state.pieces < 120 && !state.over) {
      const { action } = teacher.decide(state);
      const after = step(state, action);
      const { clearedRows, filledCells } = transitionOf(state, action, after);
      expect(clearedRows).toHaveLength(after.lines - state.lines);
      expect(withoutRows(filledCells, clearedRows)).toEqual(Array.from(after.cells));
      cleared += clearedRows.length;
      state = after;
    }
    expect(cleared).toBe(state.lines);
    expect(cleared).toBeGreaterThan(20);
  });

  it('stays true under random play up to the end of the game', () => {
    let state = newGame(9);
    for (let i = 0; !state.over; i++) {
      const action = Object.values(Action)[(i * 5 + (i >> 3)) % 8] ?? Action.wait;
      if (!isLegal(state, action)) continue;
      const after = step(state, action);
      const { clearedRows, filledCells } = transitionOf(state, action, after);
      expect(withoutRows(filledCells, clearedRows)).toEqual(Array.from(after.cells));
      state = after;
    }
    expect(state.pieces).toBeGreaterThan(5);
  });
});

/** The board after the rows are taken out and empty ones put on top. */
function withoutRows(cells: Uint8Array, rows: readonly number[]): number[] {
  const kept = Array.from(cells).filter((_, index) => !rows.includes(Math.floor(index / 10)));
  return [...kept, ...Array.from({ length: cellIndex(0, rows.length) }, () => 0)];
}
