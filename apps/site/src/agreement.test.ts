import { Action, newGame } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { AgreementMeter } from './agreement.ts';
import { choose } from './choice.ts';
import type { Player } from './player.ts';
import type { Decision } from './player_protocol.ts';
import { decisionFor, playerInfo } from './testing.ts';

const state = newGame(1);

/** A player that answers when told. */
function slowPlayer(): { player: Player; answer: (action: number) => void; fail: (error: Error) => void } {
  let answer: (decision: Decision) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const decide = (): Promise<Decision> =>
    new Promise((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
  return {
    player: { info: playerInfo, decide, dispose: () => undefined },
    answer: (action) => {
      answer(decisionFor(action));
    },
    fail: (error) => {
      fail(error);
    },
  };
}

describe('AgreementMeter', () => {
  it('counts equal and unequal choices, and passes over states that come while it asks', async () => {
    const { player, answer } = slowPlayer();
    const meter = new AgreementMeter(player);
    const drop = choose(state, decisionFor(Action.hardDrop).scores);
    const first = meter.compare(state, drop);
    expect(await meter.compare(state, drop)).toBe(false);
    answer(Action.hardDrop);
    expect(await first).toBe(true);
    const second = meter.compare(state, drop);
    answer(Action.left);
    await second;
    expect(meter.agreement).toEqual({ asked: 2, agreed: 1 });
  });

  it('passes on what the reference throws, and asks again afterwards', async () => {
    const { player, answer, fail } = slowPlayer();
    const meter = new AgreementMeter(player);
    const drop = choose(state, decisionFor(Action.hardDrop).scores);
    const failing = meter.compare(state, drop);
    fail(new Error('gone'));
    await expect(failing).rejects.toThrow('gone');
    const next = meter.compare(state, drop);
    answer(Action.hardDrop);
    await next;
    expect(meter.agreement).toEqual({ asked: 1, agreed: 1 });
  });
});
