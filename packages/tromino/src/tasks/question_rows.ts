import type { Range } from '../graph/batch.ts';
import type { QuestionTokens } from '../models/model_definition.ts';
import type { Span } from '../tokenizer/aligned_text.ts';
import type { Encoding, Tokenizer } from '../tokenizer/tokenizer.ts';
import { windowsOf } from '../tokenizer/windows.ts';
import { FormatError, OptionError } from '../util/errors.ts';

/** Questions with a part of a text, as a model reads them. */
export interface QuestionRow {
  readonly ids: readonly number[];
  /** The segment of each token, for models that were trained with several. */
  readonly tokenTypes?: readonly number[];
  /** Columns of the text's tokens. */
  readonly context: Range;
  /** Where in the text each token stands; what is not of the text has a span without meaning. */
  readonly spans: readonly Span[];
  /** Places of the row's questions among those asked. */
  readonly questions: readonly number[];
}

/** How rows are made. */
export interface QuestionRowOptions {
  readonly maxTokens: number;
  /** Tokens of the text that neighbouring windows share. */
  readonly overlap: number;
  /** Segments that a token may belong to. */
  readonly numTypes: number;
}

/** All rows of a text. */
export type RowsOfText = (text: string) => QuestionRow[];

/** Questions of one row: as many as the models of the family were trained with. */
const mostQuestions = 8;

/** Rows of one question each, as tokenizers frame a pair. */
export function pairRows(
  tokenizer: Tokenizer,
  questions: readonly string[],
  { maxTokens, overlap, numTypes }: QuestionRowOptions,
): RowsOfText {
  return (text) =>
    questions.flatMap((question, index) =>
      naming(index, () => tokenizer.encodeWindows(text, { question, overlap, maxTokens })).map(
        (encoding) => ({
          ids: encoding.ids,
          // Tokenizers give types also to models that never learned any.
          ...(numTypes > 1 && { tokenTypes: encoding.typeIds }),
          context: contextOf(encoding),
          spans: encoding.spans,
          questions: [index],
        }),
      ),
    );
}

/**
 * Rows of several questions each, every one behind its marker: as many, in order, as leave the text half of the row. What is spelled like a
 * special token is text.
 * @throws OptionError for a question that leaves the text no room, or has no token.
 * @throws FormatError where the tokenizer makes the marker of text.
 */
export function markedRows(
  tokenizer: Tokenizer,
  questions: readonly string[],
  { first, marker, separator }: QuestionTokens,
  { maxTokens, overlap }: QuestionRowOptions,
): RowsOfText {
  const encode = (text: string): Encoding => {
    const encoding = tokenizer.encode(text, { addSpecialTokens: false, splitSpecialTokens: true });
    if (!encoding.ids.includes(marker)) return encoding;
    const token = `token ${marker} (${tokenizer.idToToken(marker) ?? 'unknown'})`;
    throw new FormatError(
      'tokenizer.json',
      `added_tokens: expected ${token} to be special, found it in a text`,
    );
  };
  const encoded = questions.map((question, index) => marked(encode(question).ids, marker, index, maxTokens));
  const groups = grouped(encoded, Math.ceil(maxTokens / 2) - numFraming);
  return (text) => {
    const { ids, spans } = encode(text);
    return groups.flatMap((group) => {
      const before = [first, ...group.flatMap((index) => encoded[index] ?? []), separator];
      const windows = windowsOf(ids.length, maxTokens - before.length - 1, overlap);
      return windows.map(({ start, end }) => ({
        ids: [...before, ...ids.slice(start, end), separator],
        context: { start: before.length, end: before.length + end - start },
        spans: [...before.map((): Span => [0, 0]), ...spans.slice(start, end), [0, 0] as const],
        questions: group,
      }));
    });
  };
}

/** The row's first token, the separator behind the questions, and the one behind the text. */
const numFraming = 3;

/** The shortest row that can hold a marked question: a marker, one token of the question and one of the text are in it. */
export const leastMarkedTokens = numFraming + 3;

function marked(ids: readonly number[], marker: number, index: number, maxTokens: number): readonly number[] {
  const most = maxTokens - numFraming - 2;
  const expected = ids.length === 0 ? 'a question of at least one token' : `at most ${most} tokens`;
  if (ids.length > 0 && ids.length <= most) return [marker, ...ids];
  throw new OptionError(
    `questions[${index}]`,
    expected,
    ids.length === 0 ? 'a text without tokens' : `${ids.length}`,
  );
}

/** Places of neighbouring questions that are together no longer than `room`, or one alone that is. */
function grouped(questions: readonly (readonly number[])[], room: number): number[][] {
  const groups: number[][] = [];
  let left = 0;
  questions.forEach(({ length }, index) => {
    const group = groups.at(-1);
    left -= length;
    if (group && left >= 0 && group.length < mostQuestions) group.push(index);
    else {
      groups.push([index]);
      left = room - length;
    }
  });
  return groups;
}

/** The columns of the text's tokens: the pair of a question. */
function contextOf({ sequences }: Encoding): Range {
  const start = sequences.indexOf(1);
  return start < 0 ? { start: 0, end: 0 } : { start, end: sequences.lastIndexOf(1) + 1 };
}

/** The tokenizer knows one question only, the caller several. */
function naming<T>(index: number, encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof OptionError) || error.option !== 'question') throw error;
    throw new OptionError(`questions[${index}]`, error.expected, error.found);
  }
}
