import type { TokenRow } from '../graph/batch.ts';
import type { Encoding } from '../tokenizer/tokenizer.ts';
import type { Span } from '../tokenizer/aligned_text.ts';
import { throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';

/** Something that stands in a text, in UTF-16 units of it: `text` is `whole.slice(start, end)`. */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Tokens that two neighbouring windows of a long text share, where a call does not say. */
export const defaultOverlap = 128;

/** Tokens of one run: windows of many texts are run in several batches, so that however many there are, memory stays bounded. */
const tokensPerRun = 4096;

/** @throws OptionError for a value that is no text. */
export function requireText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new OptionError(name, 'a text', describe(value));
}

/** Texts of a call that takes one or several. @throws OptionError for anything else. */
export function requireTexts(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw new OptionError(name, 'a text or a list of texts', describe(value));
  return Array.from(value, (one, index) => requireText(one, `${name}[${index}]`));
}

/** @throws OptionError for a number that is no integer of the range. */
export function requireIntegerOption(name: string, value: unknown, least: number, most = Infinity): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  throw new OptionError(name, `an integer ${range}`, describe(value));
}

/** What neighbouring windows share. @throws OptionError for more than half of the longest window: windows must move on. */
export function requireOverlap(overlap: unknown, maxTokens: number): void {
  if (overlap !== undefined) requireIntegerOption('overlap', overlap, 0, Math.floor(maxTokens / 2));
}

/** @throws OptionError for a flag that is neither true nor false. */
export function requireBooleanOption(name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new OptionError(name, 'true or false', describe(value));
}

/** Lets events happen that wait, an abort among them, between two long pieces of work. @throws the signal's reason. */
async function nextTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  throwIfAborted(signal);
}

/** Units of texts that are made into tokens before others get a turn. */
const unitsPerTurn = 16_384;

/** What is made of each text, with a turn for others wherever much was done. @throws the signal's reason. */
export async function mapTexts<T>(
  texts: readonly string[],
  signal: AbortSignal | undefined,
  map: (text: string, index: number) => readonly T[],
): Promise<T[]> {
  const all: T[] = [];
  let unitsDone = 0;
  for (const [index, text] of texts.entries()) {
    for (const one of map(text, index)) all.push(one);
    unitsDone += text.length;
    if (unitsDone < unitsPerTurn) continue;
    unitsDone = 0;
    await nextTurn(signal);
  }
  return all;
}

/** A tokenizer's encoding as a row. Tokenizers give types also to models that never learned any. */
export function rowOf({ ids, typeIds }: Encoding, numTypes: number): TokenRow {
  return numTypes > 1 ? { ids, tokenTypes: typeIds } : { ids };
}

/** Cuts a list of rows into batches of bounded size, in order; a row is never cut. */
export function inBatches<Row extends TokenRow>(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = [];
  let room = 0;
  for (const row of rows) {
    room -= row.ids.length;
    const last = batches.at(-1);
    if (last && room >= 0) last.push(row);
    else {
      batches.push([row]);
      room = tokensPerRun - row.ids.length;
    }
  }
  return batches;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Finds what people take for the characters of a text, so that no span ends between a letter and its accent. */
export class TextPlaces {
  readonly #text: string;
  readonly #segments: Intl.Segments;

  constructor(text: string) {
    this.#text = text;
    this.#segments = graphemes.segment(text);
  }

  /** The span without white space at its ends and with whole graphemes; undefined where nothing is left. */
  span([from, to]: Span): TextSpan | undefined {
    const outer = [this.#graphemeStart(from), this.#graphemeEnd(to)] as const;
    const inside = this.#text.slice(...outer);
    const start = outer[0] + (inside.length - inside.trimStart().length);
    const end = outer[0] + inside.trimEnd().length;
    return start < end ? { text: this.#text.slice(start, end), start, end } : undefined;
  }

  #graphemeStart(place: number): number {
    if (this.#isBoundary(place)) return place;
    return this.#segments.containing(place)?.index ?? place;
  }

  #graphemeEnd(place: number): number {
    if (this.#isBoundary(place)) return place;
    const { index, segment } = must(this.#segments.containing(place - 1), 'grapheme');
    return index + segment.length;
  }

  /** Whether it is plain without the segmenter, which is slow, that a grapheme begins here: nothing below U+0300 combines but CR with LF. */
  #isBoundary(place: number): boolean {
    if (place <= 0 || place >= this.#text.length) return true;
    const [before, after] = [this.#text.charCodeAt(place - 1), this.#text.charCodeAt(place)];
    return before < 0x300 && after < 0x300 && !(before === 0x0d && after === 0x0a);
  }
}
