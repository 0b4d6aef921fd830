import type { TokenRow } from '../graph/batch.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';

/** Token ids of one row. */
export type Ids = readonly number[] | Uint32Array;

/** Token ids with a mask: 1 for tokens, 0 for padding, which may stand on either side. */
export interface TokenInput {
  readonly ids: Ids;
  readonly attentionMask?: Ids | undefined;
  /** The segment of each token, for models that were trained with several; all 0 where left out. */
  readonly tokenTypes?: Ids | undefined;
}

/** What a model takes of an input. */
export interface InputLimits {
  readonly maxTokens: number;
  /** Segments that a token may belong to. */
  readonly numTypes: number;
}

/** One input: a text for the model's own tokenizer, or ids for those who have theirs. */
export type TextOrIds = string | Ids | TokenInput;

/** One input turned into a row, with what the tokenizer said of it. */
export interface TokenizedInput extends TokenRow {
  readonly tokens: readonly string[];
  readonly truncated: boolean;
}

/** Tells one input from several: a list of numbers is one input, a list of anything else several. */
export function isBatch(input: TextOrIds | readonly TextOrIds[]): input is readonly TextOrIds[] {
  return Array.isArray(input) && typeof input[0] !== 'number';
}

/**
 * Text is cut to `maxTokens` and says so; ids are never cut, since nobody asked us to choose among them.
 * @throws OptionError for text without a tokenizer, for too many ids, and for anything that is no input.
 */
export function tokenizeInput(
  input: TextOrIds,
  name: string,
  tokenizer: Tokenizer | undefined,
  limits: InputLimits,
): TokenizedInput {
  if (typeof input === 'string') return tokenizeText(input, name, tokenizer, limits);
  const row = requireTokenInput(input, name, limits.maxTokens);
  const tokens = tokenizer ? Array.from(row.ids, (id) => tokenizer.idToToken(id) ?? '') : [];
  return { ...row, tokens, truncated: false };
}

/**
 * Ids with what stands beside them.
 * @throws OptionError for too many ids, and for anything that is none.
 */
export function requireTokenInput(input: unknown, name: string, maxTokens: number): TokenInput {
  const row = asTokenInput(input, name);
  // Holes in a mask take up positions too, padding does not.
  const numPositions = row.attentionMask ? withoutPadding(row).ids.length : row.ids.length;
  if (numPositions <= maxTokens) return row;
  throw new OptionError(name, `at most ${maxTokens} tokens`, `${numPositions}`);
}

function tokenizeText(
  text: string,
  name: string,
  tokenizer: Tokenizer | undefined,
  { maxTokens, numTypes }: InputLimits,
): TokenizedInput {
  if (!tokenizer) {
    throw new OptionError(
      name,
      'token ids, since this checkpoint has no tokenizer.json',
      `a text of ${text.length} characters`,
    );
  }
  const { ids, tokens, typeIds, truncated } = tokenizer.encode(text, { maxTokens });
  if (ids.length === 0) {
    throw new OptionError(
      name,
      'a text of at least one token',
      text === '' ? 'an empty text' : 'a text without tokens',
    );
  }
  // Tokenizers give types to models that never learned any.
  return { ids, tokens, truncated, ...(numTypes > 1 ? { tokenTypes: typeIds } : {}) };
}

/** Callers without types may pass anything. */
function asTokenInput(input: unknown, name: string): TokenInput {
  if (isNumberList(input)) return { ids: input };
  const fields = (input ?? {}) as Readonly<Partial<Record<keyof TokenInput, unknown>>>;
  const { ids } = fields;
  if (!isNumberList(ids))
    throw new OptionError(name, 'a text, token ids, or { ids, attentionMask }', describe(input));
  const attentionMask = listBeside(ids, fields.attentionMask, `${name}.attentionMask`, 'a list of 0 and 1');
  const tokenTypes = listBeside(ids, fields.tokenTypes, `${name}.tokenTypes`, 'a list of token types');
  return { ids, ...(attentionMask && { attentionMask }), ...(tokenTypes && { tokenTypes }) };
}

/** A list with a value for each id, or undefined where it is left out. */
function listBeside(ids: Ids, list: unknown, name: string, expected: string): Ids | undefined {
  if (list === undefined || list === null) return undefined;
  if (!isNumberList(list)) throw new OptionError(name, expected, describe(list));
  if (list.length === ids.length) return list;
  throw new OptionError(name, `${ids.length} values, one for each id`, `${list.length}`);
}

/** Arrays and typed arrays; whether their elements are ids is seen where the vocabulary is known. */
function isNumberList(value: unknown): value is Ids {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
}

/** A row from its first real token to its last, as lists that can grow: padding is gone, holes in the mask are still there. */
export function withoutPadding({ ids, attentionMask }: TokenRow): { ids: number[]; attentionMask: number[] } {
  const mask = attentionMask ? Array.from(attentionMask) : Array.from(ids, () => 1);
  const first = mask.findIndex((bit) => bit !== 0);
  const end = mask.findLastIndex((bit) => bit !== 0) + 1;
  return { ids: Array.from(ids).slice(first, end), attentionMask: mask.slice(first, end) };
}
