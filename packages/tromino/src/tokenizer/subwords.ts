import type * as Library from '@huggingface/tokenizers';
import { describe } from '../util/describe.ts';
import { FormatError } from '../util/errors.ts';
import type { Fields } from './definition.ts';
import { Unigram } from './unigram.ts';

/** A piece of a word: its token, and where in the word it stands, in UTF-16 units. */
export interface Subword {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Cuts a word into pieces of the vocabulary. @throws FormatError for text that no token stands for. */
export type CutWord = (word: string) => readonly Subword[];

/**
 * The model of a tokenizer. The library finds the pieces, but those of unigrams; here they are laid beside the word that they came from.
 *
 * @param file name for messages
 * @param settings the entry `model` of `tokenizer.json`
 */
export function createSubwordModel(
  file: string,
  library: typeof Library,
  model: Library.Model,
  settings: Fields,
): CutWord {
  if (model instanceof library.Unigram) {
    const unknownId = (settings.unk_id ?? undefined) as number | undefined;
    return unigrams(new Vocabulary(file, model, unknownId), settings);
  }
  const vocabulary = new Vocabulary(file, model, model.unk_token_id);
  if (model instanceof library.WordPiece) {
    if (typeof settings.unk_token === 'string') return wordPieces(vocabulary, model);
    const found = describe(settings.unk_token);
    throw new FormatError(file, `model.unk_token: expected the token for unknown words, found ${found}`);
  }
  if (model instanceof library.BPE) return bytePairs(vocabulary, model);
  return wholeWords(vocabulary);
}

class Vocabulary {
  readonly #file: string;
  readonly #model: Library.Model;
  readonly unknownId: number | undefined;

  constructor(file: string, model: Library.Model, unknownId: number | undefined) {
    this.#file = file;
    this.#model = model;
    this.unknownId = unknownId;
  }

  idOf(token: string): number | undefined {
    return this.#model.tokens_to_ids.get(token);
  }

  /** The token for text that has none. */
  requireUnknownId(text: string): number {
    if (this.unknownId !== undefined) return this.unknownId;
    const problem = `expected a token for unknown text, found none to stand for ${JSON.stringify(text)}`;
    throw new FormatError(this.#file, problem);
  }

  /** Tokens for the UTF-8 bytes of a text, where the vocabulary has one for each. */
  byteIds(text: string): readonly number[] | undefined {
    const ids: number[] = [];
    for (const byte of encoder.encode(text)) {
      const id = this.idOf(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
      if (id === undefined) return undefined;
      ids.push(id);
    }
    return ids;
  }
}

const encoder = new TextEncoder();

/** The longest piece each time; a word that cannot be finished is unknown as a whole. */
function wordPieces(vocabulary: Vocabulary, model: Library.WordPiece): CutWord {
  const prefixLength = model.config.continuing_subword_prefix?.length ?? 0;
  return (word) => {
    const tokens = model.encode([word]);
    const pieces: Subword[] = [];
    let place = 0;
    for (const token of tokens) {
      const end = place + token.length - (place > 0 ? prefixLength : 0);
      pieces.push({ id: vocabulary.idOf(token) ?? vocabulary.requireUnknownId(word), start: place, end });
      place = end;
    }
    // Also the unknown token's own name can be that long.
    if (place === word.length && tokens[0] !== model.unk_token) return pieces;
    return [{ id: vocabulary.requireUnknownId(word), start: 0, end: word.length }];
  };
}

/** Merged pairs. A piece without a token is spelled in bytes, unknown, or without a token for that, dropped. */
function bytePairs(vocabulary: Vocabulary, model: Library.BPE): CutWord {
  const suffixLength = model.end_of_word_suffix?.length ?? 0;
  const { unknownId } = vocabulary;
  return (word) => {
    const known = model.ignore_merges ? vocabulary.idOf(word) : undefined;
    if (known !== undefined) return [{ id: known, start: 0, end: word.length }];
    const pieces: Subword[] = [];
    const tokens = model.bpe(word);
    let place = 0;
    tokens.forEach((token, i) => {
      const start = place;
      const end = start + token.length - (i === tokens.length - 1 ? suffixLength : 0);
      place = end;
      const id = vocabulary.idOf(token);
      const ids = id === undefined && model.byte_fallback ? vocabulary.byteIds(token) : undefined;
      const last = pieces.at(-1);
      if (id !== undefined) pieces.push({ id, start, end });
      else if (ids) pieces.push(...ids.map((byteId) => ({ id: byteId, start, end })));
      else if (unknownId === undefined) return;
      else if (model.fuse_unk && last?.id === unknownId) pieces[pieces.length - 1] = { ...last, end };
      else pieces.push({ id: unknownId, start, end });
    });
    return pieces;
  };
}

/** The likeliest pieces. What is unknown is spelled in bytes where the vocabulary has them. */
function unigrams(vocabulary: Vocabulary, settings: Fields): CutWord {
  const { unknownId } = vocabulary;
  const model = new Unigram(settings.vocab as [string, number][], unknownId);
  const spellsBytes = settings.byte_fallback === true;
  return (word) =>
    model.cut(word).flatMap(({ id, start, end }): Subword[] => {
      if (id !== undefined && id !== unknownId) return [{ id, start, end }];
      const text = word.slice(start, end);
      const known = vocabulary.idOf(text);
      const ids = known === undefined && spellsBytes ? vocabulary.byteIds(text) : undefined;
      if (ids) return ids.map((byteId) => ({ id: byteId, start, end }));
      return [{ id: known ?? vocabulary.requireUnknownId(text), start, end }];
    });
}

/** A vocabulary of whole words. */
function wholeWords(vocabulary: Vocabulary): CutWord {
  return (word) => [
    { id: vocabulary.idOf(word) ?? vocabulary.requireUnknownId(word), start: 0, end: word.length },
  ];
}
