import { byId, htmlById, make } from '../dom.ts';
import { describeFinding, type Finding } from './finding.ts';
import type { MagicSession } from './magic_session.ts';
import { colorOf } from './question_colors.ts';
import type { Question } from './question_list.ts';
import { describeState } from './session_text.ts';

interface Row {
  readonly item: HTMLElement;
  readonly number: HTMLElement;
  readonly input: HTMLInputElement;
  readonly remove: HTMLButtonElement;
  readonly answer: HTMLButtonElement;
  readonly score: HTMLElement;
}

/** What a person does with the questions besides changing them. */
export interface QuestionsListener {
  /** An answer is wanted to be seen in the text. */
  selected(finding: Finding): void;
  /** A question is looked at; undefined when none is any more. */
  lookedAt(question: number | undefined): void;
}

/** The questions, each to be edited and removed, with what the text answers. */
export class QuestionsView {
  readonly #session: MagicSession;
  readonly #list = htmlById('magicbox-questions');
  readonly #state = htmlById('magicbox-state');
  readonly #added = byId('magicbox-added', HTMLInputElement);
  readonly #rows = new Map<number, Row>();
  readonly #listener: QuestionsListener;

  constructor(session: MagicSession, listener: QuestionsListener) {
    this.#session = session;
    this.#listener = listener;
    byId('magicbox-add', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#added.value.trim() === '') return;
      session.addQuestion(this.#added.value.trim());
      this.#added.value = '';
    });
    session.listen({
      changed: () => {
        this.#show();
      },
    });
  }

  #show(): void {
    const { questions } = this.#session;
    const kept = new Set(questions.map(({ id }) => id));
    for (const [id, { item }] of this.#rows) {
      if (kept.has(id)) continue;
      item.remove();
      this.#rows.delete(id);
    }
    questions.forEach((question, i) => {
      this.#showQuestion(question, i + 1);
    });
    this.#state.textContent = describeState(this.#session);
    this.#list.ariaBusy = String(this.#session.isReading);
  }

  #showQuestion({ id, text, color }: Question, number: number): void {
    const row = this.#rows.get(id) ?? this.#addRow(id, color);
    row.number.textContent = String(number);
    if (row.input.value !== text) row.input.value = text;
    row.input.ariaLabel = `Question ${number}`;
    row.remove.ariaLabel = `Remove question ${number}: ${text}`;
    const finding = this.#session.findingOf(id);
    const isStated = finding?.isStated === true;
    row.item.dataset['finding'] = finding === undefined ? 'none' : isStated ? 'stated' : 'not-stated';
    row.answer.textContent = isStated
      ? (finding.best?.text ?? '')
      : finding === undefined
        ? '–'
        : 'not stated';
    row.answer.disabled = !isStated;
    row.answer.title = isStated ? 'Select it in the text' : '';
    row.score.textContent =
      finding === undefined ? '' : describeFinding(finding, (margin) => margin.toFixed(1));
  }

  #addRow(id: number, color: number): Row {
    const input = make('input');
    input.type = 'text';
    input.autocomplete = 'off';
    input.addEventListener('input', () => {
      this.#session.editQuestion(id, input.value);
    });
    const remove = make('button', 'remove', '×');
    remove.type = 'button';
    remove.addEventListener('click', () => {
      this.#removeQuestion(id);
    });
    const answer = make('button', 'answer');
    answer.type = 'button';
    answer.addEventListener('click', () => {
      const finding = this.#session.findingOf(id);
      if (finding !== undefined) this.#listener.selected(finding);
    });
    const score = make('span', 'sureness');
    const result = make('p', 'result', answer, score);
    result.id = `magicbox-result-${id}`;
    input.setAttribute('aria-describedby', result.id);
    const number = make('span', 'number');
    number.ariaHidden = 'true';
    const item = make('li', 'question', number, input, remove, result);
    const lookAt = (question: number | undefined) => (): void => {
      this.#listener.lookedAt(question);
    };
    for (const type of ['pointerenter', 'focusin']) item.addEventListener(type, lookAt(id));
    for (const type of ['pointerleave', 'focusout']) item.addEventListener(type, lookAt(undefined));
    item.style.setProperty('--question', colorOf(color));
    const row = { item, number, input, remove, answer, score };
    this.#rows.set(id, row);
    this.#list.append(item);
    return row;
  }

  /** The focus goes to the question that takes the place of the removed one. */
  #removeQuestion(id: number): void {
    const place = this.#session.questions.findIndex((question) => question.id === id);
    this.#session.removeQuestion(id);
    const { questions } = this.#session;
    const next = questions[place] ?? questions.at(-1);
    const row = next === undefined ? undefined : this.#rows.get(next.id);
    (row?.input ?? this.#added).focus();
  }
}
