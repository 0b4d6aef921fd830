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
 * Finds the text in a row of ids: what the caller says, or what stands between the separator behind the questions and the one at the end.
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
  const given = (input as { context?: unknown }).context;
  if (given !== undefined)
    return { ...row, context: requireContext(given, `${name}.context`, ids.length), columns };
  if (tokens) return { ...row, context: textColumns(row, columns, name, tokens), columns };
  throw new OptionError(`${name}.context`, 'the columns of the text, as encode() gives them', 'nothing');
}

function textColumns(
  { ids }: TokenRow,
  columns: readonly number[],
  name: string,
  { marker, separator }: QuestionTokens,
): Range {
  const end = columns.find((column) => ids[column] === separator);
  const markers = columns.filter((column) => ids[column] === marker);
  const first = markers[0];
  if (first === undefined)
    throw new OptionError(`${name}.ids`, `token ${marker} before each question`, 'none');
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

function requireContext(context: unknown, name: string, numColumns: number): Range {
  const { start, end } = (context ?? {}) as Partial<Range>;
  const isRange = Number.isInteger(start) && Number.isInteger(end);
  if (
    isRange &&
    0 <= (start as number) &&
    (start as number) <= (end as number) &&
    (end as number) <= numColumns
  )
    return { start: start as number, end: end as number };
  const found = isRange ? `${start} to ${end}` : describe(context);
  throw new OptionError(name, `start and end, in order, of ${numColumns} columns`, found);
}
