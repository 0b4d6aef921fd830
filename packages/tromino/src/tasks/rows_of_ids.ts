import type { Range, TokenRow } from '../graph/batch.ts';
import type { QuestionTokens } from '../models/model_definition.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { requireTokenInput } from './inputs.ts';

/** A checked row of ids with questions and a text. */
export interface IdsRow extends TokenRow {
  readonly context: Range;
  /** Columns of the real tokens. */
  readonly columns: readonly number[];
}

/**
 * Finds the text in a row of ids: what stands between the separator behind the questions and the one at the end, or what the caller says,
 * which in a row of several questions is a part of that.
 * @param tokens undefined for a model whose rows are of one question, which can stand behind any separator.
 * @throws OptionError naming the row and the place in it.
 */
export function rowOfIds(
  input: unknown,
  name: string,
  maxTokens: number,
  tokens: QuestionTokens | undefined,
): IdsRow {
  if (typeof input === 'string')
    throw new OptionError(name, 'token ids or { ids, attentionMask }', describe(input));
  const row = requireTokenInput(input, name, maxTokens);
  const { ids, attentionMask } = row;
  const columns = Array.from(ids, (_, column) => column).filter(
    (column) => !attentionMask || attentionMask[column] !== 0,
  );
  const text = tokens && textColumns(row, columns, name, tokens);
  const given = (input as { context?: unknown }).context;
  if (given !== undefined)
    return { ...row, context: requireContext(given, `${name}.context`, ids.length, text), columns };
  if (text) return { ...row, context: text, columns };
  throw new OptionError(`${name}.context`, 'the columns of the text, as encode() gives them', 'nothing');
}

function textColumns(
  { ids }: TokenRow,
  columns: readonly number[],
  name: string,
  { first, marker, separator }: QuestionTokens,
): Range {
  const end = columns.find((column) => ids[column] === separator);
  const markers = columns.filter((column) => ids[column] === marker);
  if (markers.length === 0)
    throw new OptionError(`${name}.ids`, `token ${marker} before each question`, 'none');
  const start = must(columns[0], 'first token');
  if (ids[start] !== first)
    throw new OptionError(`${name}.ids[${start}]`, `token ${first} at the start of the row`, `${ids[start]}`);
  if (end === undefined)
    throw new OptionError(`${name}.ids`, `token ${separator} between the questions and the text`, 'none');
  const late = markers.find((column) => column > end);
  if (late !== undefined) {
    const expected = `token ${marker} before questions alone, which end at ${end}`;
    throw new OptionError(`${name}.ids[${late}]`, expected, `${marker}`);
  }
  const last = must(columns.at(-1), 'last token');
  return { start: end + 1, end: last > end && ids[last] === separator ? last : last + 1 };
}

/** @param text columns of the whole text, where they are known. */
function requireContext(context: unknown, name: string, numColumns: number, text: Range | undefined): Range {
  const { start, end } = (context ?? {}) as Partial<Range>;
  if (!isInteger(start) || !isInteger(end) || start < 0 || end < start || end > numColumns) {
    const found = isInteger(start) && isInteger(end) ? `${start} to ${end}` : describe(context);
    throw new OptionError(name, `start and end, in order, of ${numColumns} columns`, found);
  }
  if (text && (start < text.start || end > text.end))
    throw new OptionError(name, `columns of the text, ${text.start} to ${text.end}`, `${start} to ${end}`);
  return { start, end };
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
