import { ACTIONS } from '@tromino/strata';
import { describeChoice, type Choice } from '../choice.ts';
import { htmlById, make } from '../dom.ts';
import { formatProbability, formatScore } from '../format.ts';

interface Row {
  readonly row: HTMLTableRowElement;
  readonly mark: HTMLElement;
  readonly tag: HTMLElement;
  readonly bar: HTMLElement;
  readonly score: HTMLElement;
  readonly probability: HTMLElement;
}

/** The eight scores of the last decision as bars around zero, and what was chosen. */
export class ScoresPanel {
  readonly #rows: readonly Row[];
  readonly #state = htmlById('scores-state');
  readonly #thinking = htmlById('thinking');
  #settled = 'no decision yet';
  readonly #verdict = htmlById('choice');
  /** The largest score so far, either sign: the scale only grows, so that bars of two decisions can be compared. */
  #largest = 1;

  constructor() {
    this.#rows = ACTIONS.map(makeRow);
    htmlById('scores').replaceChildren(...this.#rows.map(({ row }) => row));
  }

  /** Says what came of the last decision. */
  setState(text: string): void {
    this.#settled = text;
    this.#state.textContent = text;
  }

  /** Says, here and on the board, that a decision is under way; undefined when none is. */
  setThinking(text: string | undefined): void {
    this.#state.textContent = text ?? this.#settled;
    this.#thinking.textContent = text ?? '';
    this.#thinking.hidden = text === undefined;
  }

  show(choice: Choice): void {
    this.#largest = Math.max(this.#largest, ...choice.actions.map(({ logit }) => Math.abs(logit)));
    for (const { action, logit, probability, isLegal } of choice.actions) {
      const parts = this.#rows[action];
      if (parts === undefined) continue;
      const isChosen = action === choice.action;
      parts.row.classList.toggle('chosen', isChosen);
      parts.row.classList.toggle('illegal', !isLegal);
      parts.mark.textContent = isChosen ? '▸' : '';
      parts.tag.textContent = isLegal ? '' : 'illegal';
      const end = 50 + (50 * logit) / this.#largest;
      parts.bar.style.setProperty('--from', `${Math.min(50, end)}%`);
      parts.bar.style.setProperty('--to', `${Math.max(50, end)}%`);
      parts.score.textContent = formatScore(logit);
      parts.probability.textContent = formatProbability(probability);
    }
    this.#verdict.textContent = describeChoice(choice);
  }
}

function makeRow(label: string): Row {
  const mark = make('span', 'mark-chosen');
  mark.ariaHidden = 'true';
  const tag = make('span', 'tag');
  const name = make('th', '', mark, label, tag);
  name.scope = 'row';
  const bar = make('span');
  bar.style.setProperty('--from', '50%');
  bar.style.setProperty('--to', '50%');
  const track = make('span', 'bar', bar);
  track.ariaHidden = 'true';
  const score = make('td', 'score', '–');
  const probability = make('td', 'probability', '–');
  return {
    row: make('tr', '', name, make('td', '', track), score, probability),
    mark,
    tag,
    bar,
    score,
    probability,
  };
}
