import { Action, newGame, step, writePrompt } from '@tromino/strata';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GameSession } from './game_session.ts';
import type { Player } from './player.ts';
import type { Decision } from './player_protocol.ts';
import { decisionFor, playerInfo } from './testing.ts';

/** A player whose decisions the test gives; it records the prompts. */
class FakePlayer implements Player {
  readonly info = playerInfo;
  readonly prompts: string[] = [];
  readonly #answer: () => Promise<Decision>;

  constructor(answer: () => Promise<Decision>) {
    this.#answer = answer;
  }

  decide(prompt: string): Promise<Decision> {
    this.prompts.push(prompt);
    return this.#answer();
  }

  dispose(): void {
    // It holds nothing.
  }
}

const alwaysDrops = (): FakePlayer => new FakePlayer(() => Promise.resolve(decisionFor(Action.hardDrop)));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('GameSession with a model', () => {
  it('asks about the state it is in and plays the choice', async () => {
    const session = new GameSession(4);
    const player = alwaysDrops();
    session.setPlayer(player);
    const move = await session.playMove();
    expect(player.prompts).toEqual([writePrompt(newGame(4))]);
    expect(move?.choice.label).toBe('hard drop');
    expect(session.state).toEqual(step(newGame(4), Action.hardDrop));
  });

  it('plays by its clock only while it runs', async () => {
    const session = new GameSession(4);
    session.setInterval(100);
    session.setPlayer(alwaysDrops());
    await vi.advanceTimersByTimeAsync(500);
    expect(session.state.steps).toBe(0);
    session.start();
    await vi.advanceTimersByTimeAsync(350);
    expect(session.state.steps).toBe(4);
    session.pause();
    await vi.advanceTimersByTimeAsync(1000);
    expect(session.state.steps).toBe(4);
  });

  it('waits for a slow model instead of asking twice', async () => {
    const session = new GameSession(4);
    const player = new FakePlayer(
      () =>
        new Promise((resolve) => {
          setTimeout(() => {
            resolve(decisionFor(Action.wait));
          }, 1000);
        }),
    );
    session.setPlayer(player);
    session.start();
    await vi.advanceTimersByTimeAsync(900);
    expect(await session.playMove()).toBeUndefined();
    expect(player.prompts).toHaveLength(1);
    expect(session.state.steps).toBe(0);
  });

  it('drops a decision of a player that was replaced meanwhile', async () => {
    const session = new GameSession(4);
    session.setPlayer(alwaysDrops());
    const move = session.playMove();
    session.setPlayer(alwaysDrops());
    expect(await move).toBeUndefined();
    expect(session.state).toEqual(newGame(4));
    await session.playMove();
    expect(session.state).toEqual(step(newGame(4), Action.hardDrop));
  });

  it('drops a decision about a game that was restarted meanwhile', async () => {
    const session = new GameSession(4);
    session.setPlayer(alwaysDrops());
    const playing = session.playMove();
    session.restart(8);
    expect(await playing).toBeUndefined();
    expect(session.state).toEqual(newGame(8));
  });

  it('pauses and tells of a failure, and goes on with another player from the same state', async () => {
    const session = new GameSession(4);
    const failures: unknown[] = [];
    session.listen({ failed: (error) => failures.push(error) });
    const lost = new Error('gone');
    session.setPlayer(new FakePlayer(() => Promise.reject(lost)));
    session.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(failures).toEqual([lost]);
    expect([session.isRunning, session.canStep]).toEqual([false, false]);
    session.setPlayer(alwaysDrops());
    await session.playMove();
    expect(session.state).toEqual(step(newGame(4), Action.hardDrop));
  });

  it('stops at the end of the game and runs again with the next', async () => {
    const session = new GameSession(4);
    session.setPlayer(alwaysDrops());
    session.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session.state.over).toBe(true);
    expect(session.isRunning).toBe(false);
    expect(await session.playMove()).toBeUndefined();
    session.restart(5);
    expect(session.isRunning).toBe(true);
  });
});

describe('GameSession with a person', () => {
  it('takes no action of a person while the model plays', () => {
    const session = new GameSession(4);
    expect(session.act(Action.left)).toBe(false);
    expect(session.state.steps).toBe(0);
  });

  it('plays legal actions, refuses others, and lets the piece fall by itself', async () => {
    const session = new GameSession(4);
    session.setDriver('you');
    expect(session.act(Action.hold)).toBe(true);
    expect(session.act(Action.hold)).toBe(false);
    const { row } = session.state;
    await vi.advanceTimersByTimeAsync(800);
    expect(session.state.row).toBe(row - 1);
  });

  it('gives the game back to the model as it stands', async () => {
    const session = new GameSession(4);
    session.setPlayer(alwaysDrops());
    session.setDriver('you');
    session.act(Action.right);
    session.setDriver('model');
    session.pause();
    const before = session.state;
    await session.playMove();
    expect(session.state).toEqual(step(before, Action.hardDrop));
  });
});
