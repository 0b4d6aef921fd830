import { describe, expect, it } from 'vitest';
import { Action, newGame } from './game.ts';
import { bestLegalAction, playGames } from './players.ts';

describe('playGames', () => {
  it('asks for running games only and reports each game', async () => {
    const batches: (readonly number[])[] = [];
    const results = await playGames({
      policy: (states, games) => {
        batches.push(games);
        return states.map(() => Action.hardDrop);
      },
      seeds: [4, 5],
      pieces: 3,
    });
    expect(batches).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(results.map(({ seed, pieces, steps, survived }) => [seed, pieces, steps, survived])).toEqual([
      [4, 3, 3, true],
      [5, 3, 3, true],
    ]);
  });

  it('ends a game that tops out', async () => {
    const [result] = await playGames({
      policy: (states) => states.map(() => Action.hardDrop),
      seeds: [1],
      pieces: 150,
    });
    expect(result?.survived).toBe(false);
    expect(result?.pieces).toBeLessThan(20);
  });

  it('refuses a batch of another length', async () => {
    await expect(playGames({ policy: () => [], seeds: [1], pieces: 1 })).rejects.toThrow(
      'policy: expected 1 actions, found 0',
    );
  });

  it('stops when aborted', async () => {
    const controller = new AbortController();
    const game = playGames({
      policy: (states) => states.map(() => Action.wait),
      seeds: [1],
      pieces: 150,
      signal: controller.signal,
      onStep: () => {
        controller.abort();
      },
    });
    await expect(game).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('bestLegalAction', () => {
  it('passes over a higher score that is not legal', () => {
    const state = { ...newGame(1), piece: 3, rotation: 0, column: 0 };
    expect(bestLegalAction(state, [9, 1, 2, 3, 4, 5, 6, 7])).toBe(Action.wait);
    expect(bestLegalAction(state, [0, 9, 2, 3, 4, 5, 6, 7])).toBe(Action.right);
  });
});
