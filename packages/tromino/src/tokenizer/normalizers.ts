import type { AlignedText, Edit } from './aligned_text.ts';
import { isChinese, isControl, isSpace, spellBytes } from './characters.ts';
import { Charsmap } from './charsmap.ts';
import { flag, isFields, parts, pattern, text as textField, unknownPart } from './definition.ts';
import type { DefinitionContext, Fields } from './definition.ts';
import { normalizeForm } from './unicode_forms.ts';

/** A step that changes a text before it is split. */
export type Normalize = (text: AlignedText) => AlignedText;

/**
 * The `normalizer` of a `tokenizer.json`.
 *
 * @throws FormatError for settings that make no sense. @throws UnsupportedError for a kind that is not known.
 */
export function createNormalizer(context: DefinitionContext, definition: unknown): Normalize {
  if (definition === undefined || definition === null) return (text) => text;
  if (!isFields(definition)) throw unknownPart(context, 'normalizer', definition);
  switch (definition.type) {
    case 'Sequence': {
      const steps = parts(context, definition, 'normalizers').map((one) => createNormalizer(context, one));
      return (text) => steps.reduce((before, step) => step(before), text);
    }
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD': {
      const form = definition.type;
      return (text) => normalizeForm(text, form);
    }
    case 'BertNormalizer':
      return bertNormalizer(context, definition);
    case 'Lowercase':
      return lowercase;
    case 'StripAccents':
      return (text) => text.mapChars((char) => (/^\p{M}$/u.test(char) ? '' : char));
    case 'Strip': {
      const left = flag(context, definition, 'strip_left', false);
      const right = flag(context, definition, 'strip_right', false);
      return (text) => strip(text, left, right);
    }
    case 'Replace': {
      const replaced = pattern(context, definition);
      const content = textField(context, definition, 'content');
      return (text) => text.replaceAll(replaced, content);
    }
    case 'Prepend': {
      const prefix = textField(context, definition, 'prepend');
      return (text) => text.prepend(prefix);
    }
    case 'Precompiled': {
      const base64 = textField(context, definition, 'precompiled_charsmap', '');
      // SentencePiece's identity normalisation is written as no map at all.
      if (base64 === '') return (text) => text;
      const charsmap = new Charsmap(context.file, base64);
      return (text) => applyCharsmap(text, charsmap);
    }
    case 'Nmt':
      return nmt;
    case 'ByteLevel':
      return (text) => text.mapChars(spellBytes);
    default:
      throw unknownPart(context, 'normalizer', definition);
  }
}

/**
 * BERT's clean-up.
 *
 * **Source** https://github.com/google-research/bert, tokenization.py, `BasicTokenizer`.
 */
function bertNormalizer(context: DefinitionContext, fields: Fields): Normalize {
  const cleans = flag(context, fields, 'clean_text', true);
  const spacesChinese = flag(context, fields, 'handle_chinese_chars', true);
  const lowers = flag(context, fields, 'lowercase', true);
  const stripsAccents = flag(context, fields, 'strip_accents', lowers);
  const steps: Normalize[] = [];
  if (cleans) steps.push((text) => text.mapChars(clean));
  if (spacesChinese) steps.push((text) => text.mapChars((char) => (isChinese(char) ? ` ${char} ` : char)));
  if (stripsAccents) {
    const dropAccent = (char: string): string => (/^\p{Mn}$/u.test(char) ? '' : char);
    steps.push((text) => normalizeForm(text, 'NFD').mapChars(dropAccent));
  }
  if (lowers) steps.push(lowercase);
  return (text) => steps.reduce((before, step) => step(before), text);
}

function clean(char: string): string {
  if (char === '\0' || char === '\ufffd' || isControl(char)) return '';
  return isSpace(char) ? ' ' : char;
}

/** Character by character: no final sigma, whose form depends on what follows. */
const lowercase: Normalize = (text) => text.mapChars((char) => char.toLowerCase());

function strip(text: AlignedText, left: boolean, right: boolean): AlignedText {
  const { length } = text.text;
  const start = left ? (/^\p{White_Space}*/u.exec(text.text)?.[0].length ?? 0) : 0;
  let end = length;
  if (right) while (end > start && isSpace(text.text.charAt(end - 1))) end--;
  return start === 0 && end === length ? text : text.slice(start, end);
}

/** What SentencePiece drops or takes for a space, without its compatibility forms. */
const nmt: Normalize = (text) =>
  text.mapChars((char) => {
    if (/^[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]$/.test(char)) return '';
    const isNmtSpace = /^[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]$/.test(char);
    return isNmtSpace ? ' ' : char;
  });

/** A grapheme of more UTF-8 bytes than this is mapped character by character. */
const longestMappedBytes = 5;

/** Maps short graphemes as a whole where the map has them, else character by character. */
function applyCharsmap(text: AlignedText, charsmap: Charsmap): AlignedText {
  const edits: Edit[] = [];
  const dropped = { atStart: 0 };
  const map = (part: string): boolean => {
    const mapped = charsmap.lookUp(part);
    if (mapped === undefined) return false;
    replacePart(edits, dropped, part, mapped);
    return true;
  };
  for (const { segment } of graphemes.segment(text.text)) {
    if (utf8Length(segment) <= longestMappedBytes && map(segment)) continue;
    for (const char of segment) if (!map(char)) edits.push({ char, change: 0 });
  }
  return text.edit(edits, dropped.atStart);
}

/** Puts `mapped` in the place of `part`: further characters are put in beside the last, missing ones are dropped after it. */
function replacePart(edits: Edit[], dropped: { atStart: number }, part: string, mapped: string): void {
  const [oldChars, newChars] = [Array.from(part), Array.from(mapped)];
  newChars.forEach((char, i) => edits.push({ char, change: i < oldChars.length ? 0 : 1 }));
  const numDropped = oldChars.length - newChars.length;
  if (numDropped <= 0) return;
  const last = edits.pop();
  if (last) edits.push({ char: last.char, change: last.change - numDropped });
  else dropped.atStart += numDropped;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;
