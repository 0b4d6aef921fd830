import { Action, ACTIONS, isLegal, newGame, step } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { choose, describeChoice } from './choice.ts';

/** Scores in class order as the model gives them. */
function scoresOf(logits: readonly number[]): { label: string; logit: number; probability: number }[] {
  return logits.map((logit, i) => ({ label: ACTIONS[i] ?? '', logit, probability: 1 / 8 }));
}

describe('choose', () => {
  it('takes the highest score where it is legal', () => {
    const choice = choose(newGame(1), scoresOf([0, 3, 1, 1, 1, 2.9, 0, 0]));
    expect(choice.action).toBe(Action.right);
    expect(choice.label).toBe('right');
    expect(choice.passedOver).toEqual([]);
    expect(describeChoice(choice)).toBe('Chose right: the highest score of all, and legal.');
  });

  it('passes over a higher score that is illegal, and says so', () => {
    let state = newGame(1);
    while (isLegal(state, Action.left)) state = step(state, Action.left);
    const choice = choose(state, scoresOf([9, 0, 0, 0, 0, 0, 0, 4]));
    expect(choice.label).toBe('wait');
    expect(choice.actions[Action.left]).toMatchObject({ logit: 9, isLegal: false });
    expect(choice.passedOver.map(({ label }) => label)).toEqual(['left']);
    expect(describeChoice(choice)).toBe(
      'Chose wait: the highest legal score. Higher but illegal here: left.',
    );
  });

  it('compares logits, not probabilities that have rounded to the same', () => {
    const scores = scoresOf([1, 1, 1, 1, 20, 20.5, 1, 1]).map((score) => ({ ...score, probability: 1 }));
    expect(choose(newGame(2), scores).label).toBe('hard drop');
  });
});
