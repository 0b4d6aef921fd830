import fc from 'fast-check';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { beforeAll, describe, expect, it } from 'vitest';
import { corpus } from '../../test/tokenizers/corpus.ts';
import {
  bertUncased,
  robertaBytePairs,
  sentenceUnigrams,
  type TokenizerDefinition,
} from '../../test/tokenizers/vocabularies.ts';
import type { Span } from './aligned_text.ts';
import { createTokenizer } from './create_tokenizer.ts';
import type { Encoding, Tokenizer } from './tokenizer.ts';

/** Ids, and the text from and to where each was found. */
type Found = readonly (readonly [id: number, start: number, end: number])[];

const end = ['<|endoftext|>', 50256];
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
const punctuation = (behavior: string): object => ({ type: 'Punctuation', behavior });
const normalizers = (...steps: object[]): object => ({ type: 'Sequence', normalizers: steps });
const pretokenizers = (...steps: object[]): object => ({ type: 'Sequence', pretokenizers: steps });
const splitAt = (pattern: object, behavior: string): object => ({
  type: 'Split',
  pattern,
  behavior,
  invert: false,
});
const wordsAndRunsOfThreeDigits =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+";

const kinds: readonly [string, () => TokenizerDefinition][] = [
  ['bert-base-uncased', bertUncased],
  ['gpt2, framed as roberta', robertaBytePairs],
  ['universal sentence encoder', sentenceUnigrams],
  [
    'cased WordPiece',
    () => bertUncased({ normalizer: { type: 'BertNormalizer', lowercase: false, ...bertFlags } }),
  ],
  [
    'WordPiece without accents',
    () =>
      bertUncased({
        normalizer: normalizers({ type: 'NFD' }, { type: 'StripAccents' }, { type: 'Lowercase' }),
        pre_tokenizer: pretokenizers({ type: 'WhitespaceSplit' }, punctuation('Isolated'), {
          type: 'Digits',
          individual_digits: true,
        }),
      }),
  ],
  [
    'WordPiece of composed text',
    () => bertUncased({ normalizer: { type: 'NFC' }, pre_tokenizer: { type: 'Whitespace' } }),
  ],
  [
    'WordPiece of compatible text',
    () =>
      bertUncased({
        normalizer: normalizers({ type: 'NFKC' }, { type: 'Lowercase' }),
        pre_tokenizer: pretokenizers({ type: 'WhitespaceSplit' }, punctuation('MergedWithNext')),
      }),
  ],
  [
    'WordPiece of decomposed text',
    () =>
      bertUncased({
        normalizer: normalizers({ type: 'NFKD' }, { type: 'Strip', strip_left: true, strip_right: true }),
        pre_tokenizer: pretokenizers({ type: 'WhitespaceSplit' }, punctuation('MergedWithPrevious'), {
          type: 'Digits',
          individual_digits: false,
        }),
      }),
  ],
  [
    'byte-level pairs with a space put before the text',
    () =>
      robertaBytePairs({
        pre_tokenizer: { ...byteLevel, add_prefix_space: true },
        post_processor: {
          type: 'RobertaProcessing',
          sep: end,
          cls: end,
          trim_offsets: true,
          add_prefix_space: true,
        },
      }),
  ],
  [
    'byte-level pairs, split by a pattern',
    () =>
      robertaBytePairs({
        normalizer: { type: 'NFC' },
        pre_tokenizer: pretokenizers(splitAt({ Regex: wordsAndRunsOfThreeDigits }, 'Isolated'), {
          ...byteLevel,
          use_regex: false,
        }),
        post_processor: { ...byteLevel, trim_offsets: false },
      }),
  ],
  [
    'byte-level pairs without spaces',
    () =>
      robertaBytePairs({
        pre_tokenizer: pretokenizers(
          splitAt({ String: ' ' }, 'Removed'),
          splitAt({ Regex: '\\p{N}+' }, 'Contiguous'),
          { ...byteLevel, use_regex: false },
        ),
      }),
  ],
  [
    'unigrams of one word',
    () => sentenceUnigrams({ pre_tokenizer: { ...metaspace, prepend_scheme: 'first', split: false } }),
  ],
  [
    'unigrams of words',
    () => sentenceUnigrams({ pre_tokenizer: pretokenizers({ type: 'WhitespaceSplit' }, metaspace) }),
  ],
  [
    'unigrams of compatible text',
    () =>
      sentenceUnigrams({
        normalizer: normalizers(
          { type: 'NFKC' },
          { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
        ),
        pre_tokenizer: { ...metaspace, prepend_scheme: 'never' },
      }),
  ],
  [
    'unigrams of marked text',
    () =>
      sentenceUnigrams({
        normalizer: normalizers(
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ),
        pre_tokenizer: null,
      }),
  ],
];
const bertFlags = { clean_text: true, handle_chinese_chars: true, strip_accents: null };

/** ㋿ is of 2019; the native library's compatibility forms are older. */
const texts = corpus.map((text) => text.replaceAll('㋿', ''));

/** A charsmap drops these; where one begins a text, the native library's spans are one character off from there on. */
const startsWithDropped = /^\p{Cc}/u;

describe.each(kinds)('%s', (_, define) => {
  let ours: Tokenizer;
  let native: NativeTokenizer;
  beforeAll(async () => {
    ours = await createTokenizer('tokenizer.json', define());
    native = NativeTokenizer.fromString(JSON.stringify(define()));
  });

  it('finds the native spans in every text of the corpus', async () => {
    for (const text of texts)
      expect(found(ours.encode(text)), text).toEqual(await nativelyFound(native, text));
  });

  it('finds the native spans in any mixture of those characters', async () => {
    const char = fc.constantFrom(...new Set(texts.join('')));
    const text = fc.array(char, { minLength: 1, maxLength: 14 }).map((chars) => chars.join(''));
    await fc.assert(
      fc.asyncProperty(
        text.filter((one) => !startsWithDropped.test(one)),
        async (one) => {
          expect(found(ours.encode(one))).toEqual(await nativelyFound(native, one));
        },
      ),
      { seed: 5, numRuns: 150 },
    );
  });

  it('finds spans in order, within the text, on whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        expectProperSpans(text, ours.encode(text));
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});

describe.each(kinds.slice(0, 3))('%s, pairs', (_, define) => {
  it('knows the two texts apart as the native library does', async () => {
    const ours = await createTokenizer('tokenizer.json', define());
    const native = NativeTokenizer.fromString(JSON.stringify(define()));
    const [question, context] = ['Où est le café 👍🏽?', ' Das Café (ﬁne) ist um die Ecke.'];
    const encoding = ours.encode(question, { pair: context });
    const expected = await native.encode(question, context);
    expect(encoding.ids).toEqual(expected.getIds());
    expect(encoding.typeIds).toEqual(expected.getTypeIds());
    expect(encoding.sequences.map((sequence) => sequence ?? null)).toEqual(expected.getSequenceIds());
  });
});

it('takes half a surrogate pair for an unknown character', async () => {
  const ours = await createTokenizer('tokenizer.json', robertaBytePairs());
  const { ids, spans } = ours.encode('a\ud83d b');
  expect(ids).toEqual(ours.encode('a\ufffd b').ids);
  expect(spans.slice(1, 3)).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

it('is right where a text begins with characters that a charsmap drops', async () => {
  const ours = await createTokenizer('tokenizer.json', sentenceUnigrams());
  const { tokens, spans } = ours.encode('\u0007\u0007The end');
  expect(tokens).toEqual(['<s>', '▁The', '▁end', '</s>']);
  expect(spans).toEqual([
    [0, 0],
    [2, 5],
    [5, 9],
    [0, 0],
  ]);
});

function found({ ids, spans }: Encoding): Found {
  return ids.map((id, i) => [id, ...(spans[i] ?? [-1, -1])]);
}

/** What the native library finds; it counts characters. */
async function nativelyFound(native: NativeTokenizer, text: string): Promise<Found> {
  const encoding = await native.encode(text);
  const spans = encoding.getOffsets();
  const places = [0];
  for (const char of text) places.push((places.at(-1) ?? 0) + char.length);
  return encoding
    .getIds()
    .map((id, i) => [id, places[spans[i]?.[0] ?? -1] ?? -1, places[spans[i]?.[1] ?? -1] ?? -1]);
}

function expectProperSpans(text: string, { spans, sequences }: Encoding): void {
  let before: Span = [0, 0];
  spans.forEach((span, i) => {
    if (sequences[i] === undefined) {
      expect(span).toEqual([0, 0]);
      return;
    }
    const [start, stop] = span;
    expect(start).toBeGreaterThanOrEqual(before[0]);
    expect(stop).toBeGreaterThanOrEqual(start);
    expect(stop).toBeLessThanOrEqual(text.length);
    expect(isWithinPair(text, start) || isWithinPair(text, stop)).toBe(false);
    before = span;
  });
}

function isWithinPair(text: string, place: number): boolean {
  return place > 0 && (text.codePointAt(place - 1) ?? 0) > 0xffff;
}
