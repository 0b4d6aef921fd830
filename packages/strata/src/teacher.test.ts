import { describe, expect, it } from 'vitest';
import { BOARD_HEIGHT } from './board.ts';
import { boardValue, placementValue } from './evaluation.ts';
import { Action, boardRows, legalActions, newGame, spawnPlace, step, type GameState } from './game.ts';
import { pieceAt, shapeAt } from './pieces.ts';
import { playGames, randomPolicy, teacherPolicy } from './players.ts';
import { RandomSource } from './random.ts';
import { pathAction, searchPlacements, slotOf, Teacher } from './teacher.ts';

describe('boardValue', () => {
  it('counts every feature of a small board', () => {
    const rows = new Uint16Array(BOARD_HEIGHT);
    rows[0] = 0b1111011111;
    rows[1] = 0b0000111111;
    // Row 0: 2 transitions, row 1: 2. Columns: 1 at the floor, then 5 between the rows, 6 above: 12.
    // One hole under one cell, in one row. No well.
    expect(boardValue(rows)).toBeCloseTo(-9.2 * 4 - 19.8 * 12 - 13.1 - 1.6 - 24, 6);
  });

  it('sums the depth of a well', () => {
    const rows = new Uint16Array(BOARD_HEIGHT);
    rows.fill(0b1111111110, 0, 3);
    // The empty first column: 2 transitions in each of 3 rows, 1 at the floor, 9 at the top, wells 1 + 2 + 3.
    expect(boardValue(rows)).toBeCloseTo(-9.2 * 6 - 19.8 * 10 - 10.5 * 6, 6);
  });
});

describe('placementValue', () => {
  it('likes low places and cells that go with a cleared row', () => {
    const rows = new Uint16Array(BOARD_HEIGHT);
    rows[0] = 0b1111110000;
    expect(placementValue(rows, shapeAt(6, 0), 0, 0)).toBeCloseTo(6.6 * 4, 6);
    expect(placementValue(rows, shapeAt(6, 1), 0, 0)).toBeCloseTo(-12.6 * 1.5, 6);
  });
});

describe('the teacher', () => {
  it('completes a row that waits for its piece', () => {
    const cells = new Uint8Array(200).fill(1, 0, 40);
    for (const row of [0, 1, 2, 3]) cells[row * 10 + 9] = 0;
    const state: GameState = { ...newGame(1), cells, piece: 6, ...spawnPlace(6) };
    expect(new Teacher().decide(state)).toMatchObject({
      action: Action.rotateClockwise,
      target: { slot: slotOf(false, 1, 9), row: 0 },
    });
  });

  it('turns once counter-clockwise where three clockwise turns would do', () => {
    const state: GameState = { ...newGame(1), piece: 4, ...spawnPlace(4) };
    const target = searchPlacements(state).find(({ slot }) => slot === slotOf(false, 3, 0));
    expect(target).toBeDefined();
    if (target !== undefined) expect(pathAction(state, target)).toBe(Action.rotateCounterClockwise);
  });

  it('finds no path through a wall', () => {
    const cells = new Uint8Array(200);
    for (let row = 0; row < 20; row++) cells[row * 10 + 2] = 1;
    const state: GameState = { ...newGame(1), cells, piece: 3, ...spawnPlace(3) };
    const beyond = { slot: 0, useHold: false, rotation: 0, column: 0, row: 0, value: 0 };
    expect(pathAction(state, beyond)).toBeNull();
    expect(pathAction(state, { ...beyond, column: 3 })).toBe(Action.left);
  });

  it('takes only legal actions and reaches the place it aims at', () => {
    const source = new RandomSource(11);
    const teacher = new Teacher();
    let state = newGame(11);
    let reached = 0;
    for (let i = 0; i < 1500; i++) {
      const { action, target } = teacher.decide(state);
      expect(legalActions(state)).toContain(action);
      if (action === Action.hardDrop && target !== null) {
        expect(pieceAt(state.piece).canonical[state.rotation]).toBe(target.rotation);
        expect(state.column).toBe(target.column);
        reached++;
      }
      const actions = legalActions(state);
      const disturbed = source.below(20) === 0;
      state = step(state, disturbed ? (actions[source.below(actions.length)] ?? Action.wait) : action);
      if (state.over) state = newGame(i);
    }
    expect(reached).toBeGreaterThan(200);
  });

  it('decides the same with and without its memory of the last search', () => {
    const remembering = new Teacher();
    let state = newGame(21);
    for (let i = 0; i < 200; i++) {
      const decision = remembering.decide(state);
      expect(decision).toEqual(new Teacher().decide(state));
      state = step(state, decision.action);
    }
    expect(boardRows(state).some((mask) => mask !== 0)).toBe(true);
  });

  it('plays 150 pieces on several seeds and clears almost all it drops, where a random player clears nothing', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const games = await playGames({ policy: teacherPolicy(), seeds, pieces: 150 });
    expect(games.map(({ survived, pieces }) => [survived, pieces])).toEqual(seeds.map(() => [true, 150]));
    expect(Math.min(...games.map(({ lines }) => lines))).toBeGreaterThan(50);
    const random = await playGames({ policy: randomPolicy(1), seeds, pieces: 150 });
    expect(random.some(({ survived }) => survived)).toBe(false);
  });
});
