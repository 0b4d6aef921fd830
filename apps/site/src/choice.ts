import { Action, ACTIONS, bestLegalAction, isLegal, type GameState } from '@tromino/strata';
import type { ClassScore } from 'tromino';

/** One action as the model scored it in a state. */
export interface RankedAction {
  readonly action: Action;
  readonly label: string;
  readonly logit: number;
  readonly probability: number;
  readonly isLegal: boolean;
}

/** What came of a decision: the highest-scoring legal action. */
export interface Choice {
  readonly action: Action;
  readonly label: string;
  /** All actions in class order. */
  readonly actions: readonly RankedAction[];
  /** Illegal actions that scored higher than the chosen one, highest first. */
  readonly passedOver: readonly RankedAction[];
}

/** Takes the highest-scoring legal action of a state, and notes which illegal ones it had to pass over. */
export function choose(state: GameState, scores: readonly ClassScore[]): Choice {
  const action = bestLegalAction(
    state,
    scores.map(({ logit }) => logit),
  );
  const actions = Object.values(Action).map((one) => ({
    action: one,
    label: ACTIONS[one],
    logit: scores[one]?.logit ?? NaN,
    probability: scores[one]?.probability ?? NaN,
    isLegal: isLegal(state, one),
  }));
  const chosenLogit = scores[action]?.logit ?? NaN;
  const passedOver = actions
    .filter(({ logit, isLegal }) => !isLegal && logit > chosenLogit)
    .sort((a, b) => b.logit - a.logit);
  return { action, label: ACTIONS[action], actions, passedOver };
}

/** The choice in one sentence. */
export function describeChoice({ label, passedOver }: Choice): string {
  if (passedOver.length === 0) return `Chose ${label}: the highest score of all, and legal.`;
  const names = passedOver.map((one) => one.label).join(', ');
  return `Chose ${label}: the highest legal score. Higher but illegal here: ${names}.`;
}
