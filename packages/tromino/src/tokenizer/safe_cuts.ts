import type { AddedToken } from './added_tokens.ts';
import { isFields, type Fields } from './definition.ts';

/** The first place from `from` on at which a text may be cut so that what stands before it has the tokens that it has in the whole text. */
export type FindCut = (text: string, from: number) => number | undefined;

/** A single space between letters or digits of ASCII: no form of Unicode, no grapheme and no added token reaches over it. */
const boundary = /[A-Za-z0-9](?= [A-Za-z0-9])/g;

/**
 * Where texts of a tokenizer may be cut. Undefined for one whose parts are not all known to work on each word by itself: a whole text may be one
 * word to it, or a pattern may look far ahead.
 */
export function createCutFinder(
  { normalizer, pre_tokenizer }: Fields,
  added: readonly AddedToken[],
): FindCut | undefined {
  if (!isLocal(normalizer) || !splitsAtSpaces(pre_tokenizer)) return undefined;
  const reachesOver = ({ content, stripsRight }: AddedToken): boolean =>
    content.includes(' ') || (stripsRight && /[A-Za-z0-9]$/.test(content));
  if (added.some(reachesOver)) return undefined;
  return (text, from) => {
    boundary.lastIndex = from;
    const match = boundary.exec(text);
    return match ? match.index + 1 : undefined;
  };
}

const localNormalizers = [
  'BertNormalizer',
  'NFC',
  'NFD',
  'NFKC',
  'NFKD',
  'Lowercase',
  'StripAccents',
  'Strip',
  'Precompiled',
  'Nmt',
];

/** Whether a normalizer makes of each word what it is by itself. */
function isLocal(normalizer: unknown): boolean {
  if (normalizer === undefined || normalizer === null) return true;
  if (!isFields(normalizer)) return false;
  if (Array.isArray(normalizer.normalizers)) return normalizer.normalizers.every(isLocal);
  return localNormalizers.includes(String(normalizer.type));
}

/** Whether a word never goes on behind a space. */
function splitsAtSpaces(preTokenizer: unknown): boolean {
  if (!isFields(preTokenizer)) return false;
  switch (preTokenizer.type) {
    case 'BertPreTokenizer':
    case 'Whitespace':
    case 'WhitespaceSplit':
      return true;
    case 'ByteLevel':
      return preTokenizer.use_regex !== false;
    case 'Metaspace':
      return preTokenizer.split !== false;
    case 'Sequence':
      // What comes later splits the words further.
      return Array.isArray(preTokenizer.pretokenizers) && splitsAtSpaces(preTokenizer.pretokenizers[0]);
    default:
      return false;
  }
}
