/** A question about the text. */
export interface Question {
  /** Stays the same while the question is edited, and is never used again. */
  readonly id: number;
  readonly text: string;
  /** Place of its colour in the palette. */
  readonly color: number;
}

/** Colours that tell questions apart; more questions than that share them. */
export const numColors = 8;

/** The questions that a person asks, in order. A value: every change gives a new list. */
export class QuestionList {
  readonly questions: readonly Question[];
  readonly #nextId: number;

  private constructor(questions: readonly Question[], nextId: number) {
    this.questions = questions;
    this.#nextId = nextId;
  }

  /** A list of these texts, whose ids go on after those of `previous`. */
  static of(texts: readonly string[], previous?: QuestionList): QuestionList {
    const empty = new QuestionList([], previous === undefined ? 0 : previous.#nextId);
    return texts.reduce((list, text) => list.add(text), empty);
  }

  /** The questions that say something. */
  get asked(): readonly Question[] {
    return this.questions.filter(({ text }) => text.trim() !== '');
  }

  /** Adds a question at the end, in the colour that is used least; of those the first. */
  add(text: string): QuestionList {
    const uses = Array.from(
      { length: numColors },
      (_, color) => this.questions.filter((question) => question.color === color).length,
    );
    const color = uses.indexOf(Math.min(...uses));
    return new QuestionList([...this.questions, { id: this.#nextId, text, color }], this.#nextId + 1);
  }

  edit(id: number, text: string): QuestionList {
    const edited = this.questions.map((question) => (question.id === id ? { ...question, text } : question));
    return new QuestionList(edited, this.#nextId);
  }

  remove(id: number): QuestionList {
    return new QuestionList(
      this.questions.filter((question) => question.id !== id),
      this.#nextId,
    );
  }
}
