import type { AlignedText, Span } from './aligned_text.ts';
import { spellBytes } from './characters.ts';
import {
  flag,
  isFields,
  literalPattern,
  parts,
  pattern,
  text as textField,
  unknownPart,
  wrongField,
} from './definition.ts';
import type { DefinitionContext, Fields } from './definition.ts';

/** A step that splits the parts of a text further, into what the model sees one by one. */
export type PreTokenize = (parts: readonly AlignedText[]) => readonly AlignedText[];

/** What becomes of the places at which a text is split; names as in `tokenizer.json`. */
type SplitBehavior = 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous';

const behaviors: readonly SplitBehavior[] = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
];

/**
 * The `pre_tokenizer` of a `tokenizer.json`.
 *
 * @throws FormatError for settings that make no sense. @throws UnsupportedError for a kind that is not known.
 */
export function createPreTokenizer(context: DefinitionContext, definition: unknown): PreTokenize {
  if (definition === undefined || definition === null) return (texts) => texts;
  if (!isFields(definition)) throw unknownPart(context, 'pre_tokenizer', definition);
  switch (definition.type) {
    case 'Sequence': {
      const steps = parts(context, definition, 'pretokenizers').map((one) =>
        createPreTokenizer(context, one),
      );
      return (texts) => steps.reduce((before, step) => step(before), texts);
    }
    case 'BertPreTokenizer':
      return (texts) => splitAll(splitAll(texts, spaces, 'Removed'), punctuation, 'Isolated');
    case 'WhitespaceSplit':
      return (texts) => splitAll(texts, spaces, 'Removed');
    case 'Whitespace':
      return (texts) => splitAll(texts, wordsAndSymbols, 'Removed', true);
    case 'Punctuation': {
      const behavior = behaviorField(context, definition, 'Isolated');
      return (texts) => splitAll(texts, punctuation, behavior);
    }
    case 'Digits': {
      const behavior = flag(context, definition, 'individual_digits', false) ? 'Isolated' : 'Contiguous';
      return (texts) => splitAll(texts, /\p{N}/gu, behavior);
    }
    case 'CharDelimiterSplit': {
      const delimiter = literalPattern(textField(context, definition, 'delimiter'));
      return (texts) => splitAll(texts, delimiter, 'Removed');
    }
    case 'Split': {
      const at = pattern(context, definition);
      const behavior = behaviorField(context, definition);
      const inverts = flag(context, definition, 'invert', false);
      return (texts) => splitAll(texts, at, behavior, inverts);
    }
    case 'Metaspace':
      return metaspace(context, definition);
    case 'ByteLevel':
      return byteLevel(context, definition);
    default:
      throw unknownPart(context, 'pre_tokenizer', definition);
  }
}

const spaces = /\p{White_Space}/gu;
/** Punctuation as BERT has it: Unicode's, and all ASCII that is no letter, digit or space. */
const punctuation = /[\p{P}\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/gu;
const word = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
const wordsAndSymbols = new RegExp(`[${word}]+|[^${word}\\p{White_Space}]+`, 'gu');

/** GPT-2's words: contractions, letters, numbers or other signs with the space before them; a space stays with the word it precedes. */
const byteLevelWords =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** Words in bytes, each byte spelled as a character. */
function byteLevel(context: DefinitionContext, fields: Fields): PreTokenize {
  const addsSpace = flag(context, fields, 'add_prefix_space', true);
  const splits = flag(context, fields, 'use_regex', true);
  return (texts) => {
    const spaced = texts.map((one) => (addsSpace && !one.text.startsWith(' ') ? one.prepend(' ') : one));
    const words = splits ? splitAll(spaced, byteLevelWords, 'Isolated') : spaced;
    return words.map((one) => one.mapChars(spellBytes));
  };
}

/** Spaces become a visible mark, which begins each word. */
function metaspace(context: DefinitionContext, fields: Fields): PreTokenize {
  const mark = textField(context, fields, 'replacement', '▁');
  const splits = flag(context, fields, 'split', true);
  // Files of early versions say it with a flag.
  const early = flag(context, fields, 'add_prefix_space', true) ? 'always' : 'never';
  const scheme = textField(context, fields, 'prepend_scheme', early);
  if (!['always', 'first', 'never'].includes(scheme))
    throw wrongField(context, fields, 'prepend_scheme', 'always, first or never');
  const markPattern = literalPattern(mark);
  const begin = (one: AlignedText): AlignedText => {
    const marked = one.replaceAll(/ /g, mark);
    const prepends = scheme === 'always' || (scheme === 'first' && one.origin === 0);
    return prepends && !marked.text.startsWith(mark) ? marked.prepend(mark) : marked;
  };
  return (texts) => {
    const marked = texts.map(begin);
    return splits ? splitAll(marked, markPattern, 'MergedWithNext') : marked;
  };
}

function behaviorField(context: DefinitionContext, fields: Fields, absent?: SplitBehavior): SplitBehavior {
  const name = textField(context, fields, 'behavior', absent).toLowerCase();
  const known = behaviors.find((behavior) => behavior.toLowerCase() === name);
  if (known) return known;
  throw wrongField(context, fields, 'behavior', `one of ${behaviors.join(', ')}`);
}

function splitAll(
  texts: readonly AlignedText[],
  at: RegExp,
  behavior: SplitBehavior,
  inverts = false,
): readonly AlignedText[] {
  return texts.flatMap((text) => {
    const pieces = piecesAt(text.text, at).map((piece) => ({ ...piece, isMatch: piece.isMatch !== inverts }));
    return splitSpans(pieces, behavior)
      .filter(([start, end]) => start < end)
      .map(([start, end]) => text.slice(start, end));
  });
}

interface Piece {
  readonly span: Span;
  readonly isMatch: boolean;
}

/** A whole text as matches and what is between them. */
function piecesAt(text: string, at: RegExp): Piece[] {
  const pieces: Piece[] = [];
  let place = 0;
  for (const match of text.matchAll(at)) {
    if (match.index > place) pieces.push({ span: [place, match.index], isMatch: false });
    place = match.index + match[0].length;
    pieces.push({ span: [match.index, place], isMatch: true });
  }
  if (place < text.length) pieces.push({ span: [place, text.length], isMatch: false });
  return pieces;
}

function splitSpans(pieces: readonly Piece[], behavior: SplitBehavior): Span[] {
  switch (behavior) {
    case 'Removed':
      return pieces.filter(({ isMatch }) => !isMatch).map(({ span }) => span);
    case 'Isolated':
      return pieces.map(({ span }) => span);
    case 'Contiguous':
      return joined(pieces, (piece, before) => piece.isMatch === before.isMatch);
    case 'MergedWithPrevious':
      return joined(pieces, (piece, before) => piece.isMatch && !before.isMatch);
    case 'MergedWithNext':
      return joined(pieces, (piece, before) => !piece.isMatch && before.isMatch);
  }
}

/** Joins each piece to the one before it where `joins` says so. */
function joined(pieces: readonly Piece[], joins: (piece: Piece, before: Piece) => boolean): Span[] {
  const spans: Span[] = [];
  pieces.forEach((piece, i) => {
    const [before, last] = [pieces[i - 1], spans.at(-1)];
    if (before && last && joins(piece, before)) spans[spans.length - 1] = [last[0], piece.span[1]];
    else spans.push(piece.span);
  });
  return spans;
}
