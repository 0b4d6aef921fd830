import { Action } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { GameSession } from './game_session.ts';
import { makeHeadless } from './headless.ts';
import { decisionFor, playerInfo } from './testing.ts';

const player = {
  info: playerInfo,
  decide: () => Promise.resolve(decisionFor(Action.hardDrop)),
  dispose: () => undefined,
};

describe('makeHeadless', () => {
  it('plays a move and tells board, scores, choice and time', async () => {
    const session = new GameSession(3);
    session.setPlayer(player);
    const strata = makeHeadless(session, Promise.resolve(playerInfo));
    await strata.ready;
    expect(strata.adapter.vendor).toBe('acme');
    expect(strata.memory().peakBytes).toBe(99);
    const move = await strata.playMove();
    expect(move.boardText.split('\n')).toHaveLength(20);
    expect(move.boardText).toMatch(/^[.#@:\n]+$/);
    expect(move.boardText).toContain('@');
    expect(move.scores).toHaveLength(8);
    expect([move.choice, move.durationMs]).toEqual(['hard drop', 12]);
    expect(strata.memory().peakBytes).toBe(Action.hardDrop);
  });

  it('has no adapter before it is ready, and tells why it never will be', async () => {
    const failure = new Error('no model');
    const strata = makeHeadless(new GameSession(3), Promise.reject(failure));
    expect(() => strata.adapter).toThrow('the model is not loaded yet: await strata.ready');
    await expect(strata.ready).rejects.toBe(failure);
  });

  it('refuses a move without a model', async () => {
    const strata = makeHeadless(new GameSession(3), Promise.resolve(playerInfo));
    await expect(strata.playMove()).rejects.toThrow('no move to play');
  });
});
