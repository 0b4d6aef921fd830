import type { CallExtent } from '../model_protocol.ts';
import type { Example } from './examples.ts';
import { findingOf, type Finding } from './finding.ts';
import { LatestCall } from './latest_call.ts';
import { followEdit, type LitSpan } from './lit_text.ts';
import { QuestionList, type Question } from './question_list.ts';
import type { Reader } from './reader.ts';
import type { Reading } from './reader_protocol.ts';

/** What a session tells those who show it. */
export interface MagicListener {
  /** The text, the questions, or what is known of them changed. */
  changed?(): void;
  /** Answers came. */
  answered?(reading: Reading): void;
  /** The model failed; the session is without a reader. */
  failed?(error: unknown): void;
}

interface Task {
  readonly reader: Reader;
  readonly text: string;
  readonly questions: readonly Question[];
}

/** How long a person's hands must rest before the model reads. */
const restMs = 120;

/** A text, questions about it, and what a reader finds: it asks again whenever one of them changes. */
export class MagicSession {
  #text = '';
  #list = QuestionList.of([]);
  #reader: Reader | undefined;
  #findings: ReadonlyMap<number, Finding> = new Map();
  #refusal: string | undefined;
  #extent: CallExtent | undefined;
  readonly #listeners: MagicListener[] = [];
  readonly #calls = new LatestCall<Task, Reading>({
    delayMs: restMs,
    call: ({ reader, text, questions }, signal) =>
      reader.ask({ text, questions: questions.map((question) => question.text) }, signal, (extent) => {
        this.#extent = extent;
        this.#tell((listener) => listener.changed?.());
      }),
    onAnswer: (task, reading) => {
      this.#take(task, reading);
    },
    onFailure: (error) => {
      this.#fail(error);
    },
  });

  get text(): string {
    return this.#text;
  }

  get questions(): readonly Question[] {
    return this.#list.questions;
  }

  /** The questions that say something: those that the model is asked. */
  get asked(): readonly Question[] {
    return this.#list.asked;
  }

  /** Whether a reader is there. */
  get canRead(): boolean {
    return this.#reader !== undefined;
  }

  /** Whether answers to what is there now are awaited. */
  get isReading(): boolean {
    return this.#calls.isBusy;
  }

  /** How much the model is reading; undefined where it reads nothing, or has not told yet. */
  get extent(): CallExtent | undefined {
    return this.#extent;
  }

  /** Why the model did not take what it was asked; undefined where it did. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** What is known of a question: of the text as it is, or of an edition before it. */
  findingOf(id: number): Finding | undefined {
    return this.#findings.get(id);
  }

  /** Where the text answers. */
  get spans(): LitSpan[] {
    return this.questions.flatMap(({ id }) => {
      const finding = this.#findings.get(id);
      if (finding?.best === undefined || !finding.isStated) return [];
      const { start, end } = finding.best;
      return [{ question: id, start, end }];
    });
  }

  listen(listener: MagicListener): void {
    this.#listeners.push(listener);
  }

  /** Gives the session a model, or takes it away. */
  setReader(reader: Reader | undefined): void {
    this.#reader = reader;
    if (reader === undefined) this.#findings = new Map();
    this.#readSoon(0);
  }

  showExample({ text, questions }: Example): void {
    this.#text = text;
    this.#list = QuestionList.of(questions, this.#list);
    this.#findings = new Map();
    this.#readSoon(0);
  }

  /** Answers to what stands still in the text stay, until new ones come. */
  setText(text: string): void {
    const before = this.#text;
    this.#text = text;
    this.#findings = new Map(
      [...this.#findings].flatMap(([id, finding]) => {
        const [best] = finding.best === undefined ? [] : followEdit([finding.best], before, text);
        return best === undefined ? [] : [[id, { ...finding, best }]];
      }),
    );
    this.#readSoon();
  }

  addQuestion(text: string): void {
    this.#list = this.#list.add(text);
    this.#readSoon(0);
  }

  editQuestion(id: number, text: string): void {
    this.#list = this.#list.edit(id, text);
    this.#forget(id);
    this.#readSoon();
  }

  removeQuestion(id: number): void {
    this.#list = this.#list.remove(id);
    this.#forget(id);
    this.#readSoon(0);
  }

  #forget(id: number): void {
    this.#findings = new Map([...this.#findings].filter(([other]) => other !== id));
  }

  #readSoon(delayMs?: number): void {
    this.#refusal = undefined;
    this.#extent = undefined;
    const { asked } = this;
    if (this.#reader !== undefined && asked.length > 0 && this.#text.trim() !== '') {
      this.#calls.ask({ reader: this.#reader, text: this.#text, questions: asked }, delayMs);
    } else {
      this.#calls.stop();
      this.#findings = new Map();
    }
    this.#tell((listener) => listener.changed?.());
  }

  #take({ questions }: Task, reading: Reading): void {
    this.#extent = undefined;
    this.#findings = new Map(
      reading.extractions.flatMap((extraction, i) => {
        const question = questions[i];
        return question === undefined ? [] : [[question.id, findingOf(extraction)]];
      }),
    );
    this.#tell((listener) => listener.answered?.(reading));
    this.#tell((listener) => listener.changed?.());
  }

  /** What the model refuses can be edited; any other failure is the model's own. */
  #fail(error: unknown): void {
    this.#extent = undefined;
    if (error instanceof Error && error.name === 'OptionError') {
      this.#refusal = error.message;
      this.#findings = new Map();
      this.#tell((listener) => listener.changed?.());
      return;
    }
    this.setReader(undefined);
    this.#tell((listener) => listener.failed?.(error));
  }

  #tell(what: (listener: MagicListener) => void): void {
    for (const listener of this.#listeners) what(listener);
  }
}
