import { must } from '../util/assert.ts';

/** Where something stands in a text: UTF-16 units from `start` up to, not including, `end`. */
export type Span = readonly [start: number, end: number];

/**
 * A character that an edit puts into the new text. `change` is 0 where it takes the place of the next old character, 1 where it is put in
 * beside it, and -n where it takes the next one's place and the n after that are dropped.
 */
export interface Edit {
  readonly char: string;
  readonly change: number;
}

/**
 * A text on its way through normalisation and splitting, where each unit knows which characters of the original it came from.
 *
 * **Units** All places are UTF-16 units. Edits work on whole characters, so a place never falls inside a surrogate pair.
 *
 * **Source** The rules of what an edited character is aligned with are those of https://github.com/huggingface/tokenizers,
 * tokenizers/src/tokenizer/normalizer.rs, so that spans are the ones which people know from there.
 */
export class AlignedText {
  readonly text: string;
  /** Where in the original this part begins. */
  readonly origin: number;
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  private constructor(text: string, starts: readonly number[], ends: readonly number[], origin: number) {
    this.text = text;
    this.#starts = starts;
    this.#ends = ends;
    this.origin = origin;
  }

  /** An original text: every character is aligned with itself. A surrogate without its partner stands for no character and becomes U+FFFD. */
  static of(original: string): AlignedText {
    const text = original.replace(/\p{Surrogate}/gu, '\ufffd');
    const starts: number[] = [];
    const ends: number[] = [];
    for (const char of text) {
      const start = starts.length;
      for (let unit = 0; unit < char.length; unit++) {
        starts.push(start);
        ends.push(start + char.length);
      }
    }
    return new AlignedText(text, starts, ends, 0);
  }

  /** The part from one place up to another. */
  slice(start: number, end: number): AlignedText {
    const starts = this.#starts.slice(start, end);
    const origin = starts[0] ?? this.origin;
    return new AlignedText(this.text.slice(start, end), starts, this.#ends.slice(start, end), origin);
  }

  /** The original's span that a part of this text came from; an empty part has an empty span. */
  originalSpan(start: number, end: number): Span {
    if (start >= end) {
      const place = this.#starts[start] ?? this.#ends.at(-1) ?? this.origin;
      return [place, place];
    }
    return [must(this.#starts[start], 'start'), must(this.#ends[end - 1], 'end')];
  }

  /** The text that the edits make, the first `skipped` characters dropped before them. */
  edit(edits: Iterable<Edit>, skipped = 0): AlignedText {
    const old = Array.from(this.text);
    const next = { char: 0, unit: 0 };
    const advance = (count: number): void => {
      for (let i = 0; i < count; i++) next.unit += old[next.char++]?.length ?? 0;
    };
    advance(skipped);
    const chars: string[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    for (const { char, change } of edits) {
      const unit = change > 0 ? next.unit - 1 : next.unit;
      const start = this.#starts[unit] ?? this.origin;
      const end = this.#ends[unit] ?? this.origin;
      for (let i = 0; i < char.length; i++) {
        starts.push(start);
        ends.push(end);
      }
      chars.push(char);
      if (change <= 0) advance(1 - change);
    }
    return new AlignedText(chars.join(''), starts, ends, this.origin);
  }

  /** Puts what `replace` gives in the place of each character: nothing, one or several, all aligned with that character. */
  mapChars(replace: (char: string) => string): AlignedText {
    const chars: string[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    let place = 0;
    for (const char of this.text) {
      const replaced = replace(char);
      chars.push(replaced);
      for (let unit = 0; unit < replaced.length; unit++) {
        starts.push(must(this.#starts[place], 'start'));
        ends.push(must(this.#ends[place], 'end'));
      }
      place += char.length;
    }
    return new AlignedText(chars.join(''), starts, ends, this.origin);
  }

  /** Puts text before the first character, aligned with that; nothing stays nothing. */
  prepend(text: string): AlignedText {
    if (this.text === '') return this;
    const starts = [...new Array<number>(text.length).fill(must(this.#starts[0], 'start')), ...this.#starts];
    const ends = [...new Array<number>(text.length).fill(must(this.#ends[0], 'end')), ...this.#ends];
    return new AlignedText(text + this.text, starts, ends, this.origin);
  }

  /** Replaces each match by `content`, which is aligned with the match's last character. */
  replaceAll(pattern: RegExp, content: string): AlignedText {
    const chars: string[] = [];
    const starts: number[] = [];
    const ends: number[] = [];
    const copy = (start: number, end: number): void => {
      chars.push(this.text.slice(start, end));
      for (let unit = start; unit < end; unit++) {
        starts.push(must(this.#starts[unit], 'start'));
        ends.push(must(this.#ends[unit], 'end'));
      }
    };
    let place = 0;
    for (const match of this.text.matchAll(pattern)) {
      copy(place, match.index);
      place = match.index + match[0].length;
      chars.push(content);
      for (let i = 0; i < content.length; i++) {
        starts.push(this.#starts[place - 1] ?? this.origin);
        ends.push(this.#ends[place - 1] ?? this.origin);
      }
    }
    if (place === 0 && chars.length === 0) return this;
    copy(place, this.text.length);
    return new AlignedText(chars.join(''), starts, ends, this.origin);
  }
}
