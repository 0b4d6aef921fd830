import { FormatError, UnsupportedError } from 'tromino';

/** One row of a case: token ids with the mask that says which of them are real. */
export interface GoldenRow {
  readonly ids: readonly number[];
  readonly attentionMask: readonly number[];
}

/** Inputs with the outputs that the reference computed from them. */
export interface GoldenCase {
  /** What the outputs are: a classifier's logits, or a generator's logits at the last position. */
  readonly output: 'logits' | 'last_logits';
  /** One row, or several that are to run as one batch. */
  readonly rows: readonly GoldenRow[];
  /** For a batch, the side that its shorter rows are padded on. */
  readonly paddingSide: string | undefined;
  /** The reference's output for each row. */
  readonly reference: readonly (readonly number[])[];
  /** Ids that the reference continues a single row with, taking the highest logit each time; undefined if it gives none. */
  readonly greedyIds: readonly number[] | undefined;
}

/** Fields of heads that `verify` knows but the runtime does not run yet. */
const laterHeads: Readonly<Record<string, string>> = {
  start_logits: 'question answering',
  last_hidden_state: 'encoder',
  mean_pooled: 'encoder',
};

/**
 * Checks and reads what a `golden.json` holds.
 *
 * @param json the parsed file
 * @param file its name, for messages
 * @throws FormatError for a file without cases, or a case that has nothing to compare or does not fit together
 * @throws UnsupportedError for the outputs of a head that is not supported yet
 */
export function parseGolden(json: unknown, file: string): GoldenCase[] {
  const cases = isRecord(json) ? json['cases'] : undefined;
  if (!Array.isArray(cases) || cases.length === 0)
    throw new FormatError(file, 'expected at least one case in "cases", found none');
  return cases.map((value: unknown, index) => parseCase(value, `${file}, case ${index}`));
}

function parseCase(value: unknown, subject: string): GoldenCase {
  if (!isRecord(value)) throw new FormatError(subject, 'expected an object');
  for (const [field, head] of Object.entries(laterHeads)) {
    if (field in value)
      throw new UnsupportedError(head, `${subject} holds ${field}, and this head is not supported yet`);
  }
  const output = 'logits' in value ? 'logits' : 'last_logits';
  if (!(output in value))
    throw new FormatError(subject, 'expected logits or last_logits, found nothing to compare');
  const isBatch = value['batch'] === true;
  const rowDepth = isBatch ? 2 : 1;
  if (depth(value[output]) > rowDepth) {
    throw new UnsupportedError(
      'token classification',
      `${subject} holds ${output} for each token, and this head is not supported yet`,
    );
  }
  const rowsOf = (field: string): number[][] => numberRows(value[field], isBatch, `${subject}, ${field}`);
  const masks = rowsOf('attention_mask');
  const rows = rowsOf('input_ids').map((ids, row) => ({ ids, attentionMask: masks[row] ?? [] }));
  const reference = rowsOf(output);
  for (const { ids, attentionMask } of rows)
    expectLength(`${subject}, attention_mask`, attentionMask.length, ids.length);
  expectLength(`${subject}, ${output}`, reference.length, rows.length);
  if (
    'token_type_ids' in value &&
    rowsOf('token_type_ids')
      .flat()
      .some((id) => id !== 0)
  ) {
    throw new UnsupportedError('token_type_ids', `${subject} holds token types, which are not supported yet`);
  }
  if ('greedy' in value && isBatch) {
    throw new FormatError(subject, 'expected greedy ids for a single row only, found them for a batch');
  }
  const greedyIds =
    'greedy' in value ? numberRows(value['greedy'], false, `${subject}, greedy`)[0] : undefined;
  return { output, rows, paddingSide: isBatch ? String(value['side']) : undefined, reference, greedyIds };
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
