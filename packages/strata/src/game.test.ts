import { describe, expect, it } from 'vitest';
import { BOARD_HEIGHT, BOARD_WIDTH, fits, FULL_ROW } from './board.ts';
import {
  Action,
  boardRows,
  legalActions,
  legalMask,
  newGame,
  rotated,
  spawnPlace,
  step,
  type GameState,
} from './game.ts';
import { PIECES, shapeAt } from './pieces.ts';
import { RandomSource } from './random.ts';

const [CORNER, STRAIGHT_THREE, , SQUARE, , , STRAIGHT_FOUR] = [0, 1, 2, 3, 4, 5, 6] as const;

/** A state with the given falling piece and rows from the bottom up, `#` filled. */
function stateOf(piece: number, lines: readonly string[] = []): GameState {
  const cells = new Uint8Array(BOARD_WIDTH * BOARD_HEIGHT);
  lines.forEach((line, row) => {
    for (let column = 0; column < BOARD_WIDTH; column++)
      cells[row * BOARD_WIDTH + column] = line[column] === '#' ? 1 : 0;
  });
  return { ...newGame(1), cells, piece, ...spawnPlace(piece) };
}

function played(state: GameState, ...actions: Action[]): GameState {
  return actions.reduce(step, state);
}

function randomGame(seed: number, steps: number, visit: (state: GameState) => void): void {
  const source = new RandomSource(seed);
  let state = newGame(seed);
  for (let i = 0; i < steps; i++) {
    visit(state);
    const actions = legalActions(state);
    state = state.over
      ? newGame(seed + i)
      : step(state, actions[source.below(actions.length)] ?? Action.wait);
  }
}

describe('a game', () => {
  it('is the same for the same seed and actions, and another for another seed', () => {
    const record = (seed: number): string[] => {
      const states: string[] = [];
      randomGame(seed, 400, (state) => states.push(JSON.stringify(state)));
      return states;
    };
    expect(record(7)).toEqual(record(7));
    expect(record(7)).not.toEqual(record(8));
  });

  it('deals each piece once in every nine', () => {
    let state = newGame(3);
    const dealt: number[] = [];
    for (let i = 0; i < 27; i++) {
      dealt.push(state.piece);
      state = { ...step(state, Action.hardDrop), cells: new Uint8Array(200), over: false };
    }
    for (const start of [0, 9, 18]) {
      expect(dealt.slice(start, start + 9).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
    expect(dealt.slice(0, 9)).not.toEqual(dealt.slice(9, 18));
  });

  it('never changes a state in place', () => {
    const state = newGame(5);
    const before = JSON.stringify(state);
    for (const action of legalActions(state)) step(state, action);
    expect(JSON.stringify(state)).toBe(before);
  });

  it('keeps its invariants over thousands of random steps', () => {
    for (let seed = 0; seed < 5; seed++) {
      randomGame(seed, 2000, (state) => {
        if (state.over) {
          expect(legalMask(state)).toBe(0);
          return;
        }
        expect(fits(boardRows(state), shapeAt(state.piece, state.rotation), state.column, state.row)).toBe(
          true,
        );
        expect(boardRows(state)).not.toContain(FULL_ROW);
        expect(state.fallCounter).toBeLessThan(4);
        expect(legalActions(state)).toEqual(expect.arrayContaining([Action.hardDrop, Action.wait]));
      });
    }
  });
});

describe('a step', () => {
  it('moves left and right until the wall', () => {
    let state = stateOf(SQUARE);
    expect(state.column).toBe(4);
    state = played(state, Action.left, Action.left, Action.left);
    expect([state.column, state.row]).toEqual([1, 18]);
    state = step(state, Action.left);
    expect([state.column, state.row]).toEqual([0, 17]);
    expect(legalActions(state)).not.toContain(Action.left);
    expect(() => step(state, Action.left)).toThrow(RangeError);
    expect(step(state, Action.right).column).toBe(1);
  });

  it('lowers the piece on every fourth step', () => {
    let state = stateOf(STRAIGHT_THREE);
    const rows = Array.from({ length: 9 }, () => {
      const { row } = state;
      state = step(state, Action.wait);
      return row;
    });
    expect(rows).toEqual([19, 19, 19, 19, 18, 18, 18, 18, 17]);
  });

  it('lowers the piece at once on a soft drop and begins the count anew', () => {
    const state = played(stateOf(SQUARE), Action.wait, Action.wait, Action.softDrop);
    expect([state.row, state.fallCounter, state.pieces]).toEqual([17, 0, 0]);
  });

  it('locks a resting piece when gravity cannot lower it, and not before', () => {
    const resting: GameState = { ...stateOf(SQUARE), row: 0 };
    const waited = played(resting, Action.wait, Action.wait, Action.wait);
    expect(waited.pieces).toBe(0);
    const locked = step(waited, Action.wait);
    expect([locked.pieces, boardRows(locked)[0], boardRows(locked)[1], boardRows(locked)[2]]).toEqual([
      1, 0b110000, 0b110000, 0,
    ]);
    expect(step(resting, Action.softDrop).pieces).toBe(1);
  });

  it('turns a piece and back to where it was', () => {
    const state = stateOf(STRAIGHT_FOUR);
    const turned = step(state, Action.rotateClockwise);
    expect([turned.rotation, turned.column, turned.row]).toEqual([1, 4, 16]);
    const back = step(turned, Action.rotateCounterClockwise);
    expect([back.rotation, back.column, back.row]).toEqual([0, 3, 19]);
  });

  it('kicks a turning piece off the wall', () => {
    const rows = boardRows(stateOf(STRAIGHT_FOUR));
    expect(rotated(rows, STRAIGHT_FOUR, { rotation: 1, column: 9, row: 10 }, 1)).toEqual({
      rotation: 2,
      column: 6,
      row: 13,
    });
    expect(rotated(rows, STRAIGHT_FOUR, { rotation: 1, column: 0, row: 10 }, 3)).toEqual({
      rotation: 0,
      column: 0,
      row: 13,
    });
  });

  it('finds a turn without room illegal', () => {
    const floor: GameState = { ...stateOf(STRAIGHT_FOUR), row: 1 };
    expect(legalActions(floor)).not.toContain(Action.rotateClockwise);
  });

  it('drops a piece through, clears complete rows and lets the rest sink', () => {
    const state = played(stateOf(SQUARE, ['####..####', '####..####', '#.........']), Action.hardDrop);
    expect([state.lines, state.pieces, state.score]).toEqual([2, 1, 31]);
    expect([...boardRows(state).subarray(0, 3)]).toEqual([0b1, 0, 0]);
  });

  it('remembers the mineral of each locked cell', () => {
    const state = step(stateOf(CORNER), Action.hardDrop);
    expect([state.cells[4], state.cells[5], state.cells[14], state.cells[15]]).toEqual([1, 1, 1, 0]);
  });

  it('holds once for each piece and gives the held piece back', () => {
    const start = stateOf(SQUARE);
    const held = step(start, Action.hold);
    expect([held.piece, held.hold, held.holdUsed]).toEqual([start.queue[0], SQUARE, true]);
    expect(held.queue[0]).toBe(start.queue[1]);
    expect(legalActions(held)).not.toContain(Action.hold);
    const next = step(held, Action.hardDrop);
    const swapped = step(next, Action.hold);
    expect([swapped.piece, swapped.hold, swapped.row]).toEqual([SQUARE, next.piece, 18]);
    expect(swapped.queue).toEqual(next.queue);
  });

  it('ends the game when the next piece cannot enter', () => {
    const tower = Array.from({ length: 18 }, () => '....##....');
    const state = step(stateOf(SQUARE, tower), Action.hardDrop);
    expect(state.over).toBe(true);
    expect(legalActions(state)).toEqual([]);
    expect(() => step(state, Action.wait)).toThrow(RangeError);
  });

  it('does not allow a hold whose piece cannot enter', () => {
    const blocked = stateOf(
      STRAIGHT_THREE,
      Array.from({ length: 19 }, () => '....##....'),
    );
    const state: GameState = { ...blocked, hold: SQUARE };
    expect(PIECES[SQUARE]?.mineral).toBe('uvite');
    expect(legalActions(state)).not.toContain(Action.hold);
  });
});
