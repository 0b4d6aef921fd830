import type { TokenRow } from '../graph/batch.ts';
import { defaultSpanSearch, type SpanSearch } from '../graph/graph.ts';
import type { CheckpointSource } from '../io/checkpoint_files.ts';
import { spanFields } from '../kernels/index.ts';
import type { Encoding } from '../tokenizer/tokenizer.ts';
import { must } from '../util/assert.ts';
import { OptionError, ScoreError } from '../util/errors.ts';
import type { CallOptions } from './call_options.ts';
import type { TextOrIds } from './inputs.ts';
import { loadModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';
import {
  defaultOverlap,
  inBatches,
  requireBooleanOption,
  requireIntegerOption,
  requireText,
  requireTexts,
  rowOf,
  TextPlaces,
  type TextSpan,
} from './text_calls.ts';

/** Raw scores of where an answer begins and ends, one for each token that the attention mask marks real. */
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

/** How answers are looked for. */
export interface ExtractOptions extends CallOptions {
  /** Answers to each question, 1 by default, at most 32. */
  readonly topK?: number;
  /** Tokens of the longest answer, 30 by default. */
  readonly maxAnswerTokens?: number;
  /** Whether answers that score no higher than no answer are left out. Default false. */
  readonly noAnswer?: boolean;
  /** Tokens that neighbouring windows share where a text is too long for the model, 128 by default, at most half a window. */
  readonly overlap?: number;
}

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
  /** Raw scores of each input's tokens. All inputs run as one batch; each gets the bits that it would get alone. */
  spanLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<SpanLogits[]>;
}

/**
 * Loads a checkpoint with a question-answering head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadExtractor(source: CheckpointSource, options: LoadOptions = {}): Promise<Extractor> {
  return new SpanExtractor(await loadModel(source, 'extractor', options));
}

const mostAnswers = 32;

/** A question and a part of the text. */
interface WindowRow extends TokenRow {
  readonly encoding: Encoding;
  /** Place of its question, of its text. */
  readonly question: number;
  readonly text: number;
}

/** What a window says. */
interface WindowSpans {
  readonly row: WindowRow;
  readonly noAnswerScore: number;
  readonly answers: readonly { readonly score: number; readonly start: number; readonly end: number }[];
}

class SpanExtractor extends ScoringModel implements Extractor {
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
    this.checkCall(options);
    const search = readSearch(options, this.maxTokens);
    const texts = requireTexts(text, 'text');
    const asked = requireQuestions(questions);
    const rows = texts.flatMap((one, index) => this.#windows(one, index, asked, options));
    const found: WindowSpans[] = [];
    for (const batch of inBatches(rows)) {
      const spans = await this.run(batch, options, { output: 'spans', spanSearch: search });
      batch.forEach((row, i) => found.push(readSpans(row, must(spans[i], 'spans'), search.topK)));
    }
    const extractions = texts.map((one, index) => {
      const places = new TextPlaces(one);
      const ofText = found.filter(({ row }) => row.text === index);
      return asked.map((question, i) =>
        mergeWindows(
          question,
          places,
          ofText.filter(({ row }) => row.question === i),
          search.topK,
          options,
        ),
      );
    });
    return typeof text === 'string' ? must(extractions[0], 'extraction') : extractions;
  }

  async spanLogits(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<SpanLogits[]> {
    return (await this.score(inputs, options, 'logits')).map(({ scores }) => ({
      start: scores.filter((_, i) => i % 2 === 0),
      end: scores.filter((_, i) => i % 2 === 1),
    }));
  }

  #windows(
    text: string,
    textIndex: number,
    questions: readonly string[],
    options: ExtractOptions,
  ): WindowRow[] {
    const tokenizer = this.requireTokenizer('text');
    const { overlap = defaultOverlap } = options;
    return questions.flatMap((question, index) => {
      const encodings = ofQuestion(index, () =>
        tokenizer.encodeWindows(text, { question, overlap, maxTokens: this.maxTokens }),
      );
      return encodings.map((encoding) => ({
        ...rowOf(encoding, this.numTypes),
        context: contextOf(encoding),
        encoding,
        question: index,
        text: textIndex,
      }));
    });
  }
}

function readSearch(options: ExtractOptions, maxTokens: number): SpanSearch {
  const { topK = defaultSpanSearch.topK, maxAnswerTokens = defaultSpanSearch.maxAnswerTokens } = options;
  const { noAnswer = false, overlap = defaultOverlap } = options;
  requireIntegerOption('topK', topK, 1, mostAnswers);
  requireIntegerOption('maxAnswerTokens', maxAnswerTokens, 1);
  requireIntegerOption('overlap', overlap, 0);
  requireBooleanOption('noAnswer', noAnswer);
  return { topK, maxAnswerTokens: Math.min(maxAnswerTokens, maxTokens) };
}

function requireQuestions(questions: unknown): readonly string[] {
  const list = typeof questions === 'string' ? [questions] : questions;
  if (!Array.isArray(list)) return requireTexts(questions, 'questions');
  return list.map((question, index) => {
    const name = `questions[${index}]`;
    if (requireText(question, name).trim() !== '') return question as string;
    throw new OptionError(name, 'a question', question === '' ? 'an empty text' : 'nothing but white space');
  });
}

/** The tokenizer knows one question only, the caller several. */
function ofQuestion<T>(index: number, encode: () => T): T {
  try {
    return encode();
  } catch (error) {
    if (!(error instanceof OptionError) || error.option !== 'question') throw error;
    throw new OptionError(`questions[${index}]`, error.expected, error.found);
  }
}

/** The columns of the text's tokens: the pair of a question. */
function contextOf({ sequences }: Encoding): { readonly start: number; readonly end: number } {
  const start = sequences.indexOf(1);
  return start < 0 ? { start: 0, end: 0 } : { start, end: sequences.lastIndexOf(1) + 1 };
}

/** @throws ScoreError where a logit is no finite number. */
function readSpans(row: WindowRow, values: Float32Array, topK: number): WindowSpans {
  const at = (place: number): number => must(values[place], 'span');
  if (at(spanFields.strange) !== 0) throw new ScoreError(at(spanFields.strange) - 1, NaN);
  const answers: { score: number; start: number; end: number }[] = [];
  for (let k = 0; k < topK; k++) {
    const place = spanFields.header + k * spanFields.count;
    const [first, last] = [at(place + spanFields.start), at(place + spanFields.end)];
    if (first < 0) break;
    const [start] = must(row.encoding.spans[first], 'first token');
    const [, end] = must(row.encoding.spans[last], 'last token');
    answers.push({ score: at(place + spanFields.score), start, end });
  }
  return { row, noAnswerScore: at(spanFields.noAnswer), answers };
}

/** The best answers of all windows. What one window does not know another may, so the least score of no answer counts. */
function mergeWindows(
  question: string,
  places: TextPlaces,
  windows: readonly WindowSpans[],
  topK: number,
  { noAnswer = false }: ExtractOptions,
): Extraction {
  const noAnswerScore = windows.reduce((least, window) => Math.min(least, window.noAnswerScore), Infinity);
  const best = new Map<string, Answer>();
  for (const { score, start, end } of windows.flatMap(({ answers }) => answers)) {
    const span = places.span([start, end]);
    if (!span || (noAnswer && score <= noAnswerScore)) continue;
    const key = `${span.start}-${span.end}`;
    // Tokens of the same characters, and windows that share some, find an answer several times.
    if ((best.get(key)?.score ?? -Infinity) < score) best.set(key, { ...span, score });
  }
  const answers = [...best.values()].sort((a, b) => b.score - a.score || a.start - b.start || a.end - b.end);
  return { question, answers: answers.slice(0, topK), noAnswerScore };
}
