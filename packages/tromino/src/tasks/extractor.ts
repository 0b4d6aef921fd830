import { defaultSpanSearch, type SpanSearch } from '../graph/graph.ts';
import type { CheckpointSource } from '../io/checkpoint_files.ts';
import type { QuestionTokens } from '../models/model_definition.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { optionNames } from '../util/option_names.ts';
import { answerBoundaries } from './answer_boundaries.ts';
import type { CallOptions } from './call_options.ts';
import type { Ids, TextOrIds, TokenInput } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';
import { markedRows, pairRows, type QuestionRow, type RowsOfText } from './question_rows.ts';
import { rowOfIds } from './rows_of_ids.ts';
import { readSpans, type FoundSpan, type FoundSpans } from './spans.ts';
import {
  defaultOverlap,
  inBatches,
  mapTexts,
  requireBooleanOption,
  requireIntegerOption,
  requireOverlap,
  requireText,
  requireTexts,
  TextPlaces,
  type TextSpan,
} from './text_calls.ts';

/**
 * Raw scores of where an answer begins and ends, one for each token that the attention mask marks real.
 *
 * **Shapes** start[questions, tokens], end[questions, tokens], both flat: in a model whose rows hold several questions, the scores of the
 * first question's tokens are followed by those of the second's, and so on. Elsewhere a row has one question.
 */
export interface SpanLogits {
  readonly start: Float32Array;
  readonly end: Float32Array;
}

/** An answer: a part of the text, in UTF-16 units of it. */
export interface Answer extends TextSpan {
  /** The start's and the end's raw scores together; to be compared with those of other answers to the same question. */
  readonly score: number;
}

/** What a text says to a question. */
export interface Extraction {
  readonly question: string;
  /** Best first; of equal ones the one that begins, then the one that ends earlier. Empty where the text has no words. */
  readonly answers: readonly Answer[];
  /** The raw score of the text not having the answer, in models that were trained to tell. */
  readonly noAnswerScore: number;
}

/** An answer in columns of a row of ids: from `start` up to `end`, not included. */
export interface TokenAnswer {
  readonly start: number;
  readonly end: number;
  /** As {@link Answer.score}. */
  readonly score: number;
}

/** What a row of ids says to one of its questions; see {@link Extraction}. */
export interface TokenExtraction {
  readonly answers: readonly TokenAnswer[];
  readonly noAnswerScore: number;
}

/** A row of ids with questions and a text, as `encode()` makes them. */
export interface QuestionIds extends TokenInput {
  /**
   * Columns of the text. A model whose rows hold several questions finds them by itself, from the separator behind the questions to the
   * one at the end, and takes no others.
   */
  readonly context?: { readonly start: number; readonly end: number } | undefined;
}

/** How answers are looked for in rows of ids. */
export interface SearchOptions extends CallOptions {
  /** Answers to each question, 1 by default, at most 32. */
  readonly topK?: number;
  /** Tokens of the longest answer, 30 by default. */
  readonly maxAnswerTokens?: number;
  /** Whether answers that score no higher than no answer are left out. Default false. */
  readonly noAnswer?: boolean;
}

/** How texts become rows. */
export interface WindowingOptions {
  /** Tokens that neighbouring windows share where a text is too long for the model, 128 by default, at most half of `maxTokens`; never more than half of what a window holds of the text. */
  readonly overlap?: number;
}

/** How answers are looked for. */
export type ExtractOptions = SearchOptions & WindowingOptions;

/** A loaded model that finds answers in a text. */
export interface Extractor extends Model {
  /** What a text says to each question. A text that is too long for the model is read in windows that overlap. */
  extract(
    text: string,
    questions: string | readonly string[],
    options?: ExtractOptions,
  ): Promise<Extraction[]>;
  /** The same of several texts. */
  extract(
    texts: readonly string[],
    questions: string | readonly string[],
    options?: ExtractOptions,
  ): Promise<Extraction[][]>;
  /**
   * What each row of ids says to each of its questions, in columns of the row. All rows run as one batch; each gets the bits that it would
   * get alone.
   */
  extractIds(rows: readonly (Ids | QuestionIds)[], options?: SearchOptions): Promise<TokenExtraction[][]>;
  /** The rows that the model reads to answer questions about a text: `extractIds` takes them. */
  encode(text: string, questions: string | readonly string[], options?: WindowingOptions): QuestionRow[];
  /** Raw scores of each input's tokens, unchecked. All inputs run as one batch; each gets the bits that it would get alone. */
  spanLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<SpanLogits[]>;
}

/**
 * Loads a checkpoint with a question-answering head, or with one that points from several questions at the tokens of one text.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadExtractor(source: CheckpointSource, options: LoadOptions = {}): Promise<Extractor> {
  return new SpanExtractor(await loadModel(source, 'extractor', options));
}

const mostAnswers = 32;

const searchOptionNames = optionNames<SearchOptions>({
  signal: true,
  topK: true,
  maxAnswerTokens: true,
  noAnswer: true,
});
const windowingOptionNames = optionNames<WindowingOptions>({ overlap: true });
const extractOptionNames = [...searchOptionNames, ...windowingOptionNames];

class SpanExtractor extends ScoringModel implements Extractor {
  readonly #questionTokens: QuestionTokens | undefined;

  constructor(model: LoadedModel) {
    super(model);
    this.#questionTokens = model.definition.questionTokens;
  }

  extract(
    text: string,
    questions: string | readonly string[],
    options?: ExtractOptions,
  ): Promise<Extraction[]>;
  extract(
    texts: readonly string[],
    questions: string | readonly string[],
    options?: ExtractOptions,
  ): Promise<Extraction[][]>;
  async extract(
    text: string | readonly string[],
    questions: string | readonly string[],
    options: ExtractOptions = {},
  ): Promise<Extraction[] | Extraction[][]> {
    this.checkCall(options, extractOptionNames);
    const search = readSearch(options, this.maxTokens);
    const texts = requireTexts(text, 'text');
    const asked = requireQuestions(questions);
    const rowsOfText = this.#rowsOfText(asked, options);
    const places = texts.map((one) => new TextPlaces(one));
    const rows = await mapTexts(texts, options.signal, (one, index) =>
      rowsOfText(one).map((row) => ({
        ...row,
        boundaries: answerBoundaries(row, must(places[index], 'places')),
        text: index,
      })),
    );
    const windows = texts.map(() => asked.map((): WindowSpans[] => []));
    for (const batch of inBatches(rows)) {
      const values = await this.run(batch, options, { output: 'spans', spanSearch: search });
      batch.forEach((row, i) => {
        readSpans(must(values[i], 'spans'), search.topK).forEach((found, k) => {
          windows[row.text]?.[must(row.questions[k], 'question')]?.push({ row, found });
        });
      });
    }
    const extractions = places.map((ofText, index) =>
      asked.map((question, i) =>
        mergeWindows(question, ofText, must(windows[index]?.[i], 'windows'), search.topK, options),
      ),
    );
    return typeof text === 'string' ? must(extractions[0], 'extraction') : extractions;
  }

  async extractIds(
    rows: readonly (Ids | QuestionIds)[],
    options: SearchOptions = {},
  ): Promise<TokenExtraction[][]> {
    this.checkCall(options, searchOptionNames);
    const search = readSearch(options, this.maxTokens);
    if (!Array.isArray(rows)) throw new OptionError('rows', 'a list of rows', describe(rows));
    const read = Array.from(rows, (row: unknown, index) => {
      const name = rows.length > 1 ? `inputs[${index}]` : 'input';
      return rowOfIds(row, name, this.maxTokens, this.#questionTokens);
    });
    const values = await this.run(read, options, { output: 'spans', spanSearch: search });
    return read.map(({ columns }, index) =>
      readSpans(must(values[index], 'spans'), search.topK).map(({ noAnswerScore, spans }) => ({
        answers: spans.filter(better(noAnswerScore, options)).map(({ first, last, score }) => ({
          start: must(columns[first], 'first token'),
          end: must(columns[last], 'last token') + 1,
          score,
        })),
        noAnswerScore,
      })),
    );
  }

  encode(text: string, questions: string | readonly string[], options: WindowingOptions = {}): QuestionRow[] {
    this.checkCall(options as CallOptions, windowingOptionNames);
    return this.#rowsOfText(requireQuestions(questions), options)(requireText(text, 'text'));
  }

  async spanLogits(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<SpanLogits[]> {
    return (await this.score(inputs, options, 'logits')).map(({ scores }) => ({
      start: scores.filter((_, i) => i % 2 === 0),
      end: scores.filter((_, i) => i % 2 === 1),
    }));
  }

  #rowsOfText(questions: readonly string[], { overlap }: WindowingOptions): RowsOfText {
    requireOverlap(overlap, this.maxTokens);
    const tokenizer = this.requireTokenizer('text');
    const options = {
      maxTokens: this.maxTokens,
      overlap: overlap ?? defaultOverlap,
      numTypes: this.numTypes,
    };
    return this.#questionTokens
      ? markedRows(tokenizer, questions, this.#questionTokens, options)
      : pairRows(tokenizer, questions, options);
  }
}

/** What a window says to a question. */
interface WindowSpans {
  readonly row: QuestionRow;
  readonly found: FoundSpans;
}

function readSearch(options: SearchOptions, maxTokens: number): SpanSearch {
  const { topK = defaultSpanSearch.topK, maxAnswerTokens = defaultSpanSearch.maxAnswerTokens } = options;
  requireIntegerOption('topK', topK, 1, mostAnswers);
  requireIntegerOption('maxAnswerTokens', maxAnswerTokens, 1);
  requireBooleanOption('noAnswer', options.noAnswer ?? false);
  return { topK, maxAnswerTokens: Math.min(maxAnswerTokens, maxTokens) };
}

function requireQuestions(questions: unknown): readonly string[] {
  const list = typeof questions === 'string' ? [questions] : questions;
  if (!Array.isArray(list)) return requireTexts(questions, 'questions');
  return Array.from(list, (question, index) => {
    const name = `questions[${index}]`;
    if (requireText(question, name).trim() !== '') return question as string;
    throw new OptionError(name, 'a question', question === '' ? 'an empty text' : 'nothing but white space');
  });
}

/** Whether a span is an answer to the caller. */
function better(noAnswerScore: number, { noAnswer = false }: SearchOptions): (span: FoundSpan) => boolean {
  return ({ score }) => !noAnswer || score > noAnswerScore;
}

/** The best answers of all windows. What one window does not know another may, so the least score of no answer counts. */
function mergeWindows(
  question: string,
  places: TextPlaces,
  windows: readonly WindowSpans[],
  topK: number,
  options: SearchOptions,
): Extraction {
  const noAnswerScore = windows.reduce((least, { found }) => Math.min(least, found.noAnswerScore), Infinity);
  const best = new Map<string, Answer>();
  for (const { row, found } of windows) {
    for (const { first, last, score } of found.spans.filter(better(noAnswerScore, options))) {
      const [start] = must(row.spans[first], 'first token');
      const [, end] = must(row.spans[last], 'last token');
      const span = places.span([start, end]);
      if (!span) continue;
      const key = `${span.start}-${span.end}`;
      // Windows that share tokens find an answer several times.
      if ((best.get(key)?.score ?? -Infinity) < score) best.set(key, { ...span, score });
    }
  }
  const answers = [...best.values()].sort((a, b) => b.score - a.score || a.start - b.start || a.end - b.end);
  return { question, answers: answers.slice(0, topK), noAnswerScore };
}
