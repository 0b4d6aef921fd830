import type { TokenRow } from '../graph/batch.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { OptionError } from '../util/errors.ts';

/** Token ids of one row. */
export type Ids = readonly number[] | Uint32Array;

/** Token ids with a mask: 1 for tokens, 0 for padding, which may stand on either side. */
export interface TokenInput {
  readonly ids: Ids;
  readonly attentionMask?: readonly number[] | undefined;
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
  maxTokens: number,
): TokenizedInput {
  if (typeof input === 'string') return tokenizeText(input, name, tokenizer, maxTokens);
  const row = asTokenInput(input, name);
  const numReal = row.attentionMask ? row.attentionMask.filter((bit) => bit === 1).length : row.ids.length;
  if (numReal > maxTokens) throw new OptionError(name, `at most ${maxTokens} tokens`, `${numReal}`);
  const tokens = tokenizer ? Array.from(row.ids, (id) => tokenizer.idToToken(id) ?? '') : [];
  return { ...row, tokens, truncated: false };
}

function tokenizeText(
  text: string,
  name: string,
  tokenizer: Tokenizer | undefined,
  maxTokens: number,
): TokenizedInput {
  if (!tokenizer) {
    throw new OptionError(
      name,
      'token ids, since this checkpoint has no tokenizer.json',
      `a text of ${text.length} characters`,
    );
  }
  const { ids, tokens, truncated } = tokenizer.encode(text, { maxTokens });
  if (ids.length === 0) {
    throw new OptionError(
      name,
      'a text of at least one token',
      text === '' ? 'an empty text' : 'a text without tokens',
    );
  }
  return { ids, tokens, truncated };
}

function asTokenInput(input: Exclude<TextOrIds, string>, name: string): TokenInput {
  if (Array.isArray(input) || input instanceof Uint32Array) return { ids: input as Ids };
  // Callers without types may pass anything.
  const row = input as Partial<TokenInput> | null;
  if (typeof row === 'object' && row?.ids && typeof row.ids === 'object' && 'length' in row.ids)
    return row as TokenInput;
  throw new OptionError(
    name,
    'a text, token ids, or { ids, attentionMask }',
    row === null ? 'null' : typeof input,
  );
}
