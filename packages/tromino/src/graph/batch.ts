import { boundaryFields, questionFields, tokenFields } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import type { BatchShape } from './graph.ts';

/** One row of a batch as callers give it: ids and, where some are padding, a mask of ones and zeros. */
export interface TokenRow {
  readonly ids: ArrayLike<number>;
  readonly attentionMask?: ArrayLike<number> | undefined;
  /** The segment of each token; all 0 where left out. */
  readonly tokenTypes?: ArrayLike<number> | undefined;
  /** Columns that an answer may lie in, for a search of spans; the whole row where left out. */
  readonly context?: Range | undefined;
  /**
   * For each column, where an answer really begins of which it is the first token, and ends of which it is the last: columns of one
   * character say the same. Each its own where left out.
   */
  readonly boundaries?: readonly Range[] | undefined;
}

/**
 * How a family counts positions; transformers' `position_ids`.
 * - `from_first_token`: from the row's first real token, so that padding on the left changes nothing.
 * - `from_row_start`: from the row's first column, padding included.
 * - `past_padding`: from `paddingId + 1`, over the tokens whose id is not that of padding; padding itself stands at `paddingId`.
 */
export type PositionRule =
  | { readonly kind: 'from_first_token' }
  | { readonly kind: 'from_row_start' }
  | { readonly kind: 'past_padding'; readonly paddingId: number };

/** What a vector of an output may be of: a row, a token, a question, or a question with one of its row's tokens. */
export type Unit = 'row' | 'token' | 'question' | 'pair';

/** A run of neighbours: from `start` up to `end`, not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a model takes for a row of tokens, and how it reads it. */
export interface BatchRules {
  readonly vocabularySize: number;
  /** Segments that a token may belong to; 0 where the model knows none, and a token type can only be 0. */
  readonly numTypes: number;
  readonly positions: PositionRule;
  /** Height of the position table, or whatever else bounds positions. */
  readonly maxPositions: number;
  /**
   * Whether the model reads a row off its first column even where that is padding, as transformers' encoder classifiers do. Such a column
   * is kept as a query: it sees the row's tokens, and none of them sees it.
   */
  readonly readsFirstColumn: boolean;
  /** The token that stands before each question of a row and for it, in models whose rows hold questions. */
  readonly questionMarker?: number | undefined;
}

/** A ragged batch ready for upload; see {@link packBatch}. */
export interface PackedBatch {
  readonly shape: BatchShape;
  /** [numTokens] */
  readonly ids: Uint32Array<ArrayBuffer>;
  /** [numTokens]: the segment of each token. */
  readonly tokenTypes: Uint32Array<ArrayBuffer>;
  /** [numTokens]: row of the position table for each token. */
  readonly positions: Uint32Array<ArrayBuffer>;
  /** [numTokens, 4]: first token of the row, one past its last, place within the row, row. */
  readonly tokens: Uint32Array<ArrayBuffer>;
  /** [numRows]: index of each row's first token, or of the padding that stands for it. */
  readonly firstTokens: Uint32Array<ArrayBuffer>;
  /** [numRows]: index of each row's last real token. */
  readonly lastTokens: Uint32Array<ArrayBuffer>;
  /** [numQuestions, 4]: see {@link questionFields}; empty in models whose rows hold no questions. */
  readonly questions: Uint32Array<ArrayBuffer>;
  /**
   * [numRows, 4]: the tokens that a search of spans looks at, from the first to one past the last, and the row's first token. Where rows
   * hold questions [numQuestions, 4], and pairs in place of tokens. Last in each stands the row's first token in the batch.
   */
  readonly contexts: Uint32Array<ArrayBuffer>;
  /** [numTokens, 2]: see {@link boundaryFields}. */
  readonly boundaries: Uint32Array<ArrayBuffer>;
}

/**
 * Packs rows one behind the other and drops padded tokens: what is not there cannot be attended to, needs no mask and costs nothing, and
 * a row's bits cannot depend on its companions. Positions keep the gaps of a mask with holes; where they begin is the family's rule.
 * @throws OptionError for an empty row, a mask of another length or with other values than 0 and 1, an id outside the vocabulary, a token
 * type that the model does not have, a position beyond its last, or a row without the question that it is to hold.
 */
export function packBatch(rows: readonly TokenRow[], rules: BatchRules): PackedBatch {
  if (rows.length === 0) throw new OptionError('inputs', 'at least one row', 'none');
  const read = rows.map((row, index) => readRow(row, rows.length > 1 ? `inputs[${index}]` : 'input', rules));
  const numTokens = read.reduce((sum, { places, queryOnly }) => sum + places.length + Number(queryOnly), 0);
  const batch = {
    ids: new Uint32Array(numTokens),
    tokenTypes: new Uint32Array(numTokens),
    positions: new Uint32Array(numTokens),
    tokens: new Uint32Array(numTokens * 4),
    firstTokens: new Uint32Array(rows.length),
    lastTokens: new Uint32Array(rows.length),
    boundaries: new Uint32Array(numTokens * boundaryFields.count),
  };
  let next = 0;
  let maxRowTokens = 0;
  let numPositions = 0;
  read.forEach((row, index) => {
    const start = next + Number(row.queryOnly);
    const end = start + row.places.length;
    batch.firstTokens[index] = next;
    batch.lastTokens[index] = end - 1;
    writeBoundaries(batch.boundaries, start, row);
    for (const column of row.queryOnly ? [0, ...row.places] : row.places) {
      const place = column - row.firstColumn;
      batch.ids[next] = must(row.ids[column], 'id');
      batch.tokenTypes[next] = row.tokenTypes?.[column] ?? 0;
      batch.positions[next] = must(row.positions[column], 'position');
      batch.tokens.set([start, end, place, index], next * 4);
      numPositions = Math.max(numPositions, place + 1);
      next++;
    }
    maxRowTokens = Math.max(maxRowTokens, row.places.length);
  });
  const shape = { numTokens, numRows: rows.length, maxRowTokens, numPositions };
  const starts = read.map(
    ({ queryOnly }, index) => must(batch.firstTokens[index], 'first token') + Number(queryOnly),
  );
  if (rules.questionMarker === undefined) {
    const contexts = read.flatMap((row, index) => {
      const start = must(starts[index], 'start');
      return contextAt(start, start, row);
    });
    return { shape, ...batch, questions: new Uint32Array(), contexts: Uint32Array.from(contexts) };
  }
  const { questions, contexts, numPairs } = questionTables(read, starts);
  const numQuestions = questions.length / questionFields.count;
  return { shape: { ...shape, numQuestions, numPairs }, ...batch, questions, contexts };
}

/** @param starts the packed batch's index of each row's first token. */
function questionTables(
  rows: readonly ReadRow[],
  starts: readonly number[],
): Pick<PackedBatch, 'questions' | 'contexts'> & { readonly numPairs: number } {
  const questions: number[] = [];
  const contexts: number[] = [];
  let numPairs = 0;
  rows.forEach((row, index) => {
    const start = must(starts[index], 'start');
    const { length } = row.places;
    for (const marker of row.markers) {
      questions.push(start + marker, start, length, numPairs);
      contexts.push(...contextAt(numPairs, start, row));
      numPairs += length;
    }
  });
  return { questions: Uint32Array.from(questions), contexts: Uint32Array.from(contexts), numPairs };
}

/** A row's entry of `contexts`, with its tokens counted from `start` on, and its boundaries from `firstBoundary`. */
function contextAt(start: number, firstBoundary: number, row: ReadRow): readonly number[] {
  const context = placesIn(row, row.context ?? { start: 0, end: row.ids.length });
  return [start + context.start, start + context.end, start, firstBoundary];
}

/** Writes a row's entries of `boundaries`, the first of its tokens being the batch's `start`th: columns become places among its real tokens. */
function writeBoundaries(boundaries: Uint32Array, start: number, row: ReadRow): void {
  row.places.forEach((column, place) => {
    const own = row.boundaries?.[column];
    const range = own ? placesIn(row, own) : undefined;
    const at = (start + place) * boundaryFields.count;
    boundaries[at] = range?.start ?? place;
    boundaries[at + 1] = range?.end ?? place + 1;
  });
}

/** Columns as places among a row's real tokens. */
function placesIn({ placesBefore }: ReadRow, { start, end }: Range): Range {
  return { start: must(placesBefore[start], 'start'), end: must(placesBefore[end], 'end') };
}

/** A batch's arrays by the names of the graph's inputs. */
export function batchInputs(batch: PackedBatch): Readonly<Record<string, Uint32Array<ArrayBuffer>>> {
  return {
    ids: batch.ids,
    token_types: batch.tokenTypes,
    positions: batch.positions,
    tokens: batch.tokens,
    first_tokens: batch.firstTokens,
    last_tokens: batch.lastTokens,
    questions: batch.questions,
    contexts: batch.contexts,
    boundaries: batch.boundaries,
  };
}

/** Where a row's real tokens stand in the packed batch. */
export function rowRange(batch: PackedBatch, row: number): Range {
  const entry = must(batch.lastTokens[row], 'row') * 4;
  return { start: must(batch.tokens[entry], 'row start'), end: must(batch.tokens[entry + 1], 'row end') };
}

/**
 * What of a batch's vectors belongs to each of its rows.
 * @param values a vector for each row, token, question or pair of the batch.
 */
export function splitByRow(batch: PackedBatch, values: Float32Array, per: Unit): Float32Array[] {
  const { numRows, numTokens, numQuestions = 0, numPairs = 0 } = batch.shape;
  const count = { row: numRows, token: numTokens, question: numQuestions, pair: numPairs }[per];
  const width = values.length / count;
  return rangesOf(batch, per).map(({ start, end }) => values.slice(start * width, end * width));
}

function rangesOf(batch: PackedBatch, per: Unit): Range[] {
  const rows = Array.from({ length: batch.shape.numRows }, (_, row) => row);
  if (per === 'row') return rows.map((row) => ({ start: row, end: row + 1 }));
  if (per === 'token') return rows.map((row) => rowRange(batch, row));
  const numOf = rows.map(() => 0);
  for (let entry = 0; entry < batch.questions.length; entry += questionFields.count) {
    const token = must(batch.questions[entry + questionFields.token], 'token');
    const row = must(batch.tokens[token * tokenFields.count + tokenFields.row], 'row');
    numOf[row] =
      must(numOf[row], 'row') +
      (per === 'question' ? 1 : must(batch.questions[entry + questionFields.rowTokens], 'length'));
  }
  let end = 0;
  return numOf.map((number) => ({ start: end, end: (end += number) }));
}

/** A checked row. Columns are places in the arrays as the caller gave them. */
interface ReadRow extends TokenRow {
  /** Columns of the real tokens. */
  readonly places: readonly number[];
  /** [columns + 1]: real tokens before each column. */
  readonly placesBefore: Uint32Array;
  /** Row of the position table for each column that is packed. */
  readonly positions: readonly number[];
  /** The column at which places begin to count. */
  readonly firstColumn: number;
  /** Whether column 0 is padding that is kept as a query. */
  readonly queryOnly: boolean;
  /** Which of the real tokens stand for questions. */
  readonly markers: readonly number[];
}

function readRow(row: TokenRow, name: string, rules: BatchRules): ReadRow {
  const places = realTokens(row, name, rules);
  const first = must(places[0], 'first token');
  const firstColumn = rules.positions.kind === 'from_first_token' ? first : 0;
  const positions = columnPositions(row.ids, rules.positions, firstColumn);
  const queryOnly = rules.readsFirstColumn && first > 0;
  for (const column of places) {
    const position = must(positions[column], 'position');
    if (position < rules.maxPositions) continue;
    throw new OptionError(
      `${name}.ids[${column}]`,
      `a position from 0 to ${rules.maxPositions - 1}`,
      `${position}, padding on the left included`,
    );
  }
  return {
    ...row,
    places,
    placesBefore: countsBefore(places, row.ids.length),
    positions,
    firstColumn,
    queryOnly,
    markers: markersIn(row.ids, places, name, rules),
  };
}

function countsBefore(places: readonly number[], numColumns: number): Uint32Array {
  const counts = new Uint32Array(numColumns + 1);
  let count = 0;
  for (let column = 0; column <= numColumns; column++) {
    counts[column] = count;
    if (places[count] === column) count++;
  }
  return counts;
}

function markersIn(
  ids: ArrayLike<number>,
  places: readonly number[],
  name: string,
  { questionMarker }: BatchRules,
): readonly number[] {
  if (questionMarker === undefined) return [];
  const markers = places.flatMap((column, place) => (ids[column] === questionMarker ? [place] : []));
  if (markers.length > 0) return markers;
  throw new OptionError(`${name}.ids`, `token ${questionMarker} before each question`, 'none');
}

/** **Source** transformers: `create_position_ids_from_input_ids` of RoBERTa for `past_padding`. */
function columnPositions(ids: ArrayLike<number>, rule: PositionRule, firstColumn: number): number[] {
  if (rule.kind !== 'past_padding') return Array.from(ids, (_, column) => column - firstColumn);
  let count = 0;
  return Array.from(ids, (id) => rule.paddingId + (id === rule.paddingId ? 0 : ++count));
}

function realTokens(row: TokenRow, name: string, { vocabularySize, numTypes }: BatchRules): number[] {
  const { ids, attentionMask, tokenTypes } = row;
  requireLength(`${name}.attentionMask`, attentionMask, ids.length);
  requireLength(`${name}.tokenTypes`, tokenTypes, ids.length);
  const kept: number[] = [];
  for (let place = 0; place < ids.length; place++) {
    requireBelow(`${name}.ids[${place}]`, ids[place], vocabularySize);
    if (tokenTypes) requireBelow(`${name}.tokenTypes[${place}]`, tokenTypes[place], Math.max(numTypes, 1));
    const mask = attentionMask ? attentionMask[place] : 1;
    if (mask !== 0 && mask !== 1)
      throw new OptionError(`${name}.attentionMask[${place}]`, '0 or 1', describe(mask));
    if (mask === 1) kept.push(place);
  }
  if (kept.length === 0)
    throw new OptionError(name, 'at least one token that the attention mask marks real', 'none');
  return kept;
}

function requireLength(name: string, values: ArrayLike<number> | undefined, length: number): void {
  if (values && values.length !== length)
    throw new OptionError(name, `${length} values, one for each id`, `${values.length}`);
}

function requireBelow(name: string, value: number | undefined, end: number): void {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < end) return;
  throw new OptionError(name, end === 1 ? '0' : `an integer from 0 to ${end - 1}`, describe(value));
}
