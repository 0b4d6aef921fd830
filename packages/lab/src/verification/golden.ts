import { FormatError } from 'tromino';
import type { OutputName } from '../sessions/protocol.ts';

/** One row of a case: token ids with the mask that says which of them are real, and their segments where the case has any. */
export interface GoldenRow {
  readonly ids: readonly number[];
  readonly attentionMask: readonly number[];
  readonly tokenTypes?: readonly number[];
}

/** One output as the reference computed it. */
export interface GoldenReference {
  /** The field's name, but `token_logits` for `logits` that have a vector for each token. */
  readonly output: OutputName;
  /** For each row. What stands for tokens is one behind the other, question by question, without what is at padding, which means nothing. */
  readonly values: readonly (readonly number[])[];
}

/** Inputs with the outputs that the reference computed from them. */
export interface GoldenCase {
  /** One row, or several that are to run as one batch. */
  readonly rows: readonly GoldenRow[];
  /** For a batch, the side that its shorter rows are padded on. */
  readonly paddingSide: string | undefined;
  readonly references: readonly GoldenReference[];
  /** Ids that the reference continues a single row with, taking the highest logit each time; undefined if it gives none. */
  readonly greedyIds: readonly number[] | undefined;
}

/**
 * How deep the lists of each field's rows are, and what their numbers are of: a vector of the row (1), a number or a vector for each token (1,
 * 2), a number for each token of each question (2). The depth tells fields of one name apart.
 */
const fields = [
  { field: 'logits', depth: 1, per: 'row', output: 'logits' },
  { field: 'logits', depth: 2, per: 'token', output: 'token_logits' },
  { field: 'last_logits', depth: 1, per: 'row', output: 'last_logits' },
  { field: 'start_logits', depth: 1, per: 'token', output: 'start_logits' },
  { field: 'start_logits', depth: 2, per: 'question', output: 'start_logits' },
  { field: 'end_logits', depth: 1, per: 'token', output: 'end_logits' },
  { field: 'end_logits', depth: 2, per: 'question', output: 'end_logits' },
  { field: 'last_hidden_state', depth: 2, per: 'token', output: 'last_hidden_state' },
  { field: 'mean_pooled', depth: 1, per: 'row', output: 'mean_pooled' },
] as const;

/**
 * Checks and reads what a `golden.json` holds.
 *
 * @param json the parsed file
 * @param file its name, for messages
 * @throws FormatError for a file without cases, or a case that has nothing to compare or does not fit together
 */
export function parseGolden(json: unknown, file: string): GoldenCase[] {
  const cases = isRecord(json) ? json['cases'] : undefined;
  if (!Array.isArray(cases) || cases.length === 0)
    throw new FormatError(file, 'expected at least one case in "cases", found none');
  return cases.map((value: unknown, index) => parseCase(value, `${file}, case ${index}`));
}

/**
 * How far the reference's own run in f32 is from what `golden.json` holds, relative to max(1, max |reference|): its `f32_error`, or 0. Where
 * activations are rounded to int8, one that is close to a tie may go either way, and in a deep model what follows from that is no longer small.
 *
 * @throws FormatError for anything but a number from 0 to 0.1: beyond that the file says nothing of a model
 */
export function referenceError(json: unknown, file: string): number {
  const error = isRecord(json) ? (json['f32_error'] ?? 0) : 0;
  if (typeof error === 'number' && error >= 0 && error <= 0.1) return error;
  throw new FormatError(file, `f32_error: expected a number from 0 to 0.1, found ${JSON.stringify(error)}`);
}

function parseCase(value: unknown, subject: string): GoldenCase {
  if (!isRecord(value)) throw new FormatError(subject, 'expected an object');
  const isBatch = value['batch'] === true;
  const rows = parseRows(value, isBatch, subject);
  const references = parseReferences(value, rows, isBatch, subject);
  if (references.length === 0) {
    const known = [...new Set(fields.map(({ field }) => field))];
    throw new FormatError(subject, `expected one of ${known.join(', ')}, found nothing to compare`);
  }
  if ('greedy' in value && isBatch) {
    throw new FormatError(subject, 'expected greedy ids for a single row only, found them for a batch');
  }
  const greedyIds =
    'greedy' in value ? numberRows(value['greedy'], false, `${subject}, greedy`)[0] : undefined;
  return { rows, paddingSide: isBatch ? String(value['side']) : undefined, references, greedyIds };
}

function parseRows(value: Record<string, unknown>, isBatch: boolean, subject: string): GoldenRow[] {
  const rowsOf = (field: string): number[][] => numberRows(value[field], isBatch, `${subject}, ${field}`);
  const masks = 'attention_mask' in value ? rowsOf('attention_mask') : undefined;
  const types = 'token_type_ids' in value ? rowsOf('token_type_ids') : undefined;
  return rowsOf('input_ids').map((ids, row) => {
    const attentionMask = masks ? (masks[row] ?? []) : ids.map(() => 1);
    const tokenTypes = types?.[row];
    expectLength(`${subject}, attention_mask`, attentionMask.length, ids.length);
    if (tokenTypes) expectLength(`${subject}, token_type_ids`, tokenTypes.length, ids.length);
    return { ids, attentionMask, ...(tokenTypes && { tokenTypes }) };
  });
}

function parseReferences(
  value: Record<string, unknown>,
  rows: readonly GoldenRow[],
  isBatch: boolean,
  subject: string,
): GoldenReference[] {
  const given = fields.filter(({ field, depth: rowDepth }) => {
    if (!(field in value)) return false;
    const isAlone = fields.filter((other) => other.field === field).length === 1;
    return isAlone || rowDepth === (depth(value[field]) > 1 + Number(isBatch) ? 2 : 1);
  });
  return given.map(({ field, depth: rowDepth, per, output }) => {
    const name = `${subject}, ${field}`;
    const read = rowDepth === 1 ? numberRows : vectorRows;
    const found = read(value[field], isBatch, name);
    expectLength(name, found.length, rows.length);
    const valuesOf = (row: GoldenRow, values: Tokens): number[] => {
      if (per === 'row') return values.flat();
      return per === 'token'
        ? realTokens(row, values, name)
        : values.flatMap((question) => realTokens(row, [question].flat(), name));
    };
    return { output, values: rows.map((row, i) => valuesOf(row, found[i] ?? [])) };
  });
}

/** A number or a vector for each token. */
type Tokens = readonly (number | readonly number[])[];

/** What stands at the tokens that the mask marks real, one behind the other. */
function realTokens({ attentionMask }: GoldenRow, tokens: Tokens, subject: string): number[] {
  expectLength(subject, tokens.length, attentionMask.length);
  return tokens.filter((_, i) => attentionMask[i] !== 0).flat();
}

/** Reads a list of vectors as one row, or a list of such lists as rows. */
function vectorRows(value: unknown, isBatch: boolean, subject: string): number[][][] {
  const rows: unknown = isBatch ? value : [value];
  if (!Array.isArray(rows) || rows.length === 0) throw new FormatError(subject, 'expected lists of vectors');
  return rows.map((row: unknown) => numberRows(row, true, subject));
}

/** Reads a list of finite numbers as one row, or a list of such lists as rows. */
function numberRows(value: unknown, isBatch: boolean, subject: string): number[][] {
  const rows: unknown = isBatch ? value : [value];
  const isRow = (row: unknown): row is number[] =>
    Array.isArray(row) && row.length > 0 && row.every((item) => Number.isFinite(item));
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isRow)) return rows;
  throw new FormatError(subject, `expected ${isBatch ? 'lists' : 'a list'} of finite numbers`);
}

function expectLength(subject: string, found: number, expected: number): void {
  if (found !== expected) throw new FormatError(subject, `expected length ${expected}, found ${found}`);
}

function depth(value: unknown): number {
  return Array.isArray(value) ? 1 + depth(value[0]) : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
