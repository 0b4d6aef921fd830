import { byId, htmlById, make } from '../dom.ts';
import { litParts, type LitPart } from './lit_text.ts';
import type { MagicSession } from './magic_session.ts';
import { colorOf } from './question_colors.ts';

/** The text box. What answers a question is lit by a layer below it that has the same words in the same places. */
export class TextView {
  readonly #session: MagicSession;
  readonly #input = byId('magicbox-text', HTMLTextAreaElement);
  readonly #marks = htmlById('magicbox-marks');
  #highlighted: number | undefined;

  constructor(session: MagicSession) {
    this.#session = session;
    this.#input.addEventListener('input', () => {
      session.setText(this.#input.value);
    });
    session.listen({
      changed: () => {
        this.#show();
      },
    });
  }

  /** Selects a part of the text and goes there. */
  select(start: number, end: number): void {
    this.#input.focus();
    this.#input.setSelectionRange(start, end);
    this.#scrollTo(start);
  }

  /** Brings a mark into view; selecting alone scrolls nothing. */
  #scrollTo(start: number): void {
    let place = 0;
    for (const node of this.#marks.childNodes) {
      if (place === start && node instanceof HTMLElement) node.scrollIntoView({ block: 'nearest' });
      place += node.textContent?.length ?? 0;
    }
  }

  /** Lets the spans of one question stand out; undefined lets all be equal. */
  highlight(question: number | undefined): void {
    this.#highlighted = question;
    this.#showHighlight();
  }

  #showHighlight(): void {
    const id = String(this.#highlighted);
    const marks = [...this.#marks.querySelectorAll('mark')];
    const isOf = (mark: HTMLElement): boolean => mark.dataset['questions']?.split(' ').includes(id) === true;
    // A question without a span dims nothing: there is nothing to look at instead.
    const isAny = marks.some(isOf);
    for (const mark of marks) mark.classList.toggle('aside', isAny && !isOf(mark));
  }

  #show(): void {
    const { text, questions, spans } = this.#session;
    if (this.#input.value !== text) this.#input.value = text;
    const looks = new Map(questions.map(({ id, color }, i) => [id, { color, number: i + 1 }]));
    const nodes = litParts(text, spans).map((part) => nodeOf(part, looks));
    // A line break at the end would take no room of its own.
    this.#marks.replaceChildren(...nodes, '\u200b');
    this.#showHighlight();
  }
}

/** How a question is told from the others. */
interface Look {
  readonly color: number;
  /** Its place in the list, from 1. */
  readonly number: number;
}

function nodeOf({ text, questions, begins }: LitPart, looks: ReadonlyMap<number, Look>): Node | string {
  if (questions.length === 0) return text;
  const mark = make('mark', '', text);
  mark.dataset['questions'] = questions.join(' ');
  const numbers = begins.flatMap((id) => looks.get(id)?.number ?? []);
  if (numbers.length > 0) mark.dataset['numbers'] = numbers.join(' ');
  const paints = questions.map((id) => colorOf(looks.get(id)?.color ?? 0));
  mark.style.setProperty('--fill', stripes('bottom', paints));
  mark.style.setProperty('--line', stripes('right', paints));
  return mark;
}

/** Equal stripes of several colours, side by side: where spans overlap, each shows. */
function stripes(direction: 'bottom' | 'right', paints: readonly string[]): string {
  const stops = paints.map(
    (paint, i) => `${paint} ${(100 * i) / paints.length}% ${(100 * (i + 1)) / paints.length}%`,
  );
  return `linear-gradient(to ${direction}, ${stops.join(', ')})`;
}
