import { describe, expect, it } from 'vitest';
import { FormatError, OptionError, UnsupportedError } from '../util/errors.ts';
import { createCutFinder } from './safe_cuts.ts';
import { createTokenizer } from './create_tokenizer.ts';
import type { Tokenizer } from './tokenizer.ts';

const words = ['[UNK]', '[CLS]', '[SEP]', '[PAD]', 'a', 'b', 'c', 'd', 'e', '##x', ','];
const vocab = Object.fromEntries(words.map((word, id): [string, number] => [word, id]));
const special = (id: number): object => ({ id, content: words[id], special: true, normalized: false });

/** A small WordPiece tokenizer in the manner of BERT. */
const bert = {
  added_tokens: [0, 1, 2, 3].map(special),
  normalizer: { type: 'BertNormalizer', lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: '[SEP]', type_id: 1 } },
    ],
    special_tokens: {},
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab,
  },
};

const load = (definition: object = bert): Promise<Tokenizer> =>
  createTokenizer('tokenizer.json', { ...definition });

describe('a tokenizer', () => {
  it('adds special tokens', async () => {
    const tokenizer = await load();
    expect(tokenizer.encode('A bx, zebra')).toEqual({
      ids: [1, 4, 5, 9, 10, 0, 2],
      tokens: ['[CLS]', 'a', 'b', '##x', ',', '[UNK]', '[SEP]'],
      typeIds: [0, 0, 0, 0, 0, 0, 0],
      spans: [
        [0, 0],
        [0, 1],
        [2, 3],
        [3, 4],
        [4, 5],
        [6, 11],
        [0, 0],
      ],
      sequences: [undefined, 0, 0, 0, 0, 0, undefined],
      truncated: false,
    });
    expect(tokenizer.encode('a', { addSpecialTokens: false }).ids).toEqual([4]);
    const misspelt: object = { add_special_tokens: false };
    expect(() => tokenizer.encode('a', misspelt)).toThrow('expected a known option, as addSpecialTokens');
    expect(tokenizer.encode('').ids).toEqual([1, 2]);
  });

  it('takes the spelling of a special token for text, if asked to, but not that of an added word', async () => {
    const tokenizer = await load({
      ...bert,
      added_tokens: [...bert.added_tokens, { id: 8, content: 'e[', normalized: false }],
    });
    const idsOf = (splitSpecialTokens: boolean): readonly number[] =>
      tokenizer.encode('a [SEP] e[b', { pair: '[CLS]', splitSpecialTokens }).ids;
    expect(idsOf(false)).toEqual([1, 4, 2, 8, 5, 2, 1, 2]);
    // A bracket, a word and a bracket that the vocabulary does not have.
    expect(idsOf(true)).toEqual([1, 4, 0, 0, 0, 8, 5, 2, 0, 0, 0, 2]);
    expect(tokenizer.encode('[SEP]').ids).toEqual([1, 2, 2]);
  });

  it('encodes pairs', async () => {
    const { ids, typeIds, spans, sequences } = (await load()).encode('a b', { pair: 'c' });
    expect(ids).toEqual([1, 4, 5, 2, 6, 2]);
    expect(typeIds).toEqual([0, 0, 0, 0, 1, 1]);
    expect(sequences).toEqual([undefined, 0, 0, undefined, 1, undefined]);
    expect(spans[4]).toEqual([0, 1]);
  });

  it('cuts the text and keeps the special tokens, and says so', async () => {
    const tokenizer = await load();
    const at = (maxTokens: number): unknown => {
      const { ids, truncated } = tokenizer.encode('a b c d', { maxTokens });
      return [ids, truncated];
    };
    expect(at(6)).toEqual([[1, 4, 5, 6, 7, 2], false]);
    expect(at(5)).toEqual([[1, 4, 5, 6, 2], true]);
    expect(at(2)).toEqual([[1, 2], true]);
    expect(() => at(1)).toThrow(
      new OptionError('maxTokens', 'a whole number, at least the 2 special tokens', '1'),
    );
    expect(() => at(3.5)).toThrow(OptionError);
    expect(() => at(NaN)).toThrow(OptionError);
  });

  it.each([
    [8, [1, 4, 5, 6, 2, 4, 5, 2]],
    [7, [1, 4, 5, 2, 4, 5, 2]],
    [6, [1, 4, 5, 2, 4, 2]],
    [3, [1, 2, 2]],
  ])('cuts the longer text of a pair first, to %i tokens', async (maxTokens, expected) => {
    const { ids, truncated } = (await load()).encode('a b c d e', { pair: 'a b', maxTokens });
    expect(ids).toEqual(expected);
    expect(truncated).toBe(true);
  });

  it.each([
    ['the longer text', 'a b c', 'c d', [1, 4, 5, 2, 6, 2]],
    ['the longer pair', 'a b', 'c d e', [1, 4, 2, 6, 7, 2]],
    ['the pair, of equals', 'a b', 'c d', [1, 4, 2, 6, 7, 2]],
    ['the longer text, of two beyond the room', 'a b c d e', 'c d e a', [1, 4, 5, 2, 6, 2]],
  ])('gives the odd place to %s', async (_, text, pair, expected) => {
    expect((await load()).encode(text, { pair, maxTokens: 6 }).ids).toEqual(expected);
  });

  it('cuts a long text into windows that overlap, with spans in the whole text', async () => {
    const tokenizer = await load();
    const windows = tokenizer.encodeWindows('a b c d e', { maxTokens: 5, overlap: 1 });
    expect(windows.map(({ ids }) => ids)).toEqual([
      [1, 4, 5, 6, 2],
      [1, 6, 7, 8, 2],
    ]);
    expect(windows[1]?.spans).toEqual([
      [0, 0],
      [4, 5],
      [6, 7],
      [8, 9],
      [0, 0],
    ]);
    expect(tokenizer.encodeWindows('', { maxTokens: 5, overlap: 1 }).map(({ ids }) => ids)).toEqual([[1, 2]]);
  });

  it('puts a question whole before each window', async () => {
    const tokenizer = await load();
    const options = { maxTokens: 7, overlap: 1, question: 'a b' };
    const windows = tokenizer.encodeWindows('c d e', options);
    expect(windows).toMatchObject([
      { ids: [1, 4, 5, 2, 6, 7, 2], sequences: [undefined, 0, 0, undefined, 1, 1, undefined] },
      { ids: [1, 4, 5, 2, 7, 8, 2], typeIds: [0, 0, 0, 0, 1, 1, 1] },
    ]);
    // However large the overlap, windows move on.
    expect(tokenizer.encodeWindows('c d e', { ...options, overlap: 100 })).toEqual(windows);
    expect(() => tokenizer.encodeWindows('c', { ...options, maxTokens: 5 })).toThrow(
      new OptionError('question', 'at most 1 tokens', '2'),
    );
    expect(() => tokenizer.encodeWindows('c', { maxTokens: 2, overlap: 1 })).toThrow(OptionError);
  });

  it('decodes, with and without special tokens', async () => {
    const tokenizer = await load();
    expect(tokenizer.decode([1, 4, 5, 9, 10, 2], { skipSpecialTokens: true })).toBe('a bx,');
    expect(tokenizer.decode(Uint32Array.of(1, 4, 2))).toBe('[CLS] a [SEP]');
    expect(tokenizer.decode([])).toBe('');
    expect(() => tokenizer.decode([4, 11])).toThrow(new OptionError('ids', 'ids of tokenizer.json', '11'));
  });

  it('knows its vocabulary', async () => {
    const tokenizer = await load();
    expect(tokenizer.vocabularySize).toBe(11);
    expect(tokenizer.tokenToId('b')).toBe(5);
    expect(tokenizer.tokenToId('zebra')).toBeUndefined();
    expect(tokenizer.idToToken(9)).toBe('##x');
  });

  it('counts tokens that were added above its vocabulary', async () => {
    const extra = { id: 20, content: '<move>', special: false, normalized: false };
    const tokenizer = await load({ ...bert, added_tokens: [...bert.added_tokens, extra] });
    expect(tokenizer.encode('a<move>b').ids).toEqual([1, 4, 20, 5, 2]);
    expect(tokenizer.vocabularySize).toBe(21);
  });

  it('makes whole words of a WordLevel vocabulary', async () => {
    const model = { type: 'WordLevel', vocab, unk_token: '[UNK]' };
    const tokenizer = await load({ model, pre_tokenizer: { type: 'WhitespaceSplit' } });
    expect(tokenizer.encode('a b zebra')).toMatchObject({ ids: [4, 5, 0], tokens: ['a', 'b', '[UNK]'] });
    expect(tokenizer.decode([4, 5])).toBe('a b');
  });

  it('puts a pair after the text when nothing is put between them', async () => {
    const tokenizer = await load({ ...bert, post_processor: { type: 'ByteLevel', trim_offsets: true } });
    expect(tokenizer.encode('a b', { pair: 'c' })).toMatchObject({ ids: [4, 5, 6], typeIds: [0, 0, 1] });
  });

  it('frames a pair as RoBERTa does', async () => {
    const post_processor = { type: 'RobertaProcessing', cls: ['[CLS]', 1], sep: ['[SEP]', 2] };
    const tokenizer = await load({ ...bert, post_processor });
    expect(tokenizer.encode('a', { pair: 'b' })).toMatchObject({
      ids: [1, 4, 2, 2, 5, 2],
      typeIds: [0, 0, 0, 0, 0, 0],
    });
    expect(tokenizer.encode('a b c', { pair: 'b', maxTokens: 6 })).toMatchObject({
      ids: [1, 4, 2, 2, 5, 2],
      truncated: true,
    });
  });

  it('refuses text for which it has no token', async () => {
    const model = { type: 'WordLevel', vocab: { a: 0 } };
    const tokenizer = await load({ model, pre_tokenizer: { type: 'WhitespaceSplit' } });
    expect(() => tokenizer.encode('a q')).toThrow(
      'tokenizer.json: expected a token for unknown text, found none',
    );
  });
});

describe('createTokenizer', () => {
  it('refuses an unknown kind of model', async () => {
    const loading = load({ ...bert, model: { ...bert.model, type: 'Telepathy' } });
    await expect(loading).rejects.toThrow(UnsupportedError);
    await expect(loading).rejects.toThrow('tokenizer.json, tokenizer model "Telepathy": only BPE, WordPiece');
  });

  it('refuses a step that it does not know', async () => {
    const normalizing = load({ ...bert, normalizer: { type: 'Shout' } });
    await expect(normalizing).rejects.toThrow(
      new UnsupportedError('tokenizer.json, normalizer "Shout"', 'this kind is not known'),
    );
    const splitting = load({ ...bert, pre_tokenizer: { type: 'Shout' } });
    await expect(splitting).rejects.toThrow(UnsupportedError);
  });

  const broken = { type: 'Split', pattern: { Regex: '(' }, behavior: 'Isolated' };

  it.each<[string, object, string]>([
    ['no model', {}, 'expected a tokenizer model, found undefined'],
    ['a model without tokens', { model: { type: 'BPE' } }, 'model.vocab: expected tokens, found undefined'],
    [
      'an id that is text',
      { model: { type: 'BPE', vocab: { a: '1' } } },
      'expected an id for "a", found "1"',
    ],
    [
      'a vocabulary of plain words',
      { model: { type: 'Unigram', vocab: ['a'] } },
      'expected pairs of token and score',
    ],
    ['no merges', { model: { type: 'BPE', vocab: { a: 1 } } }, 'found what the library refuses'],
    [
      'words without a token for unknown ones',
      { ...bert, model: { ...bert.model, unk_token: null } },
      'model.unk_token: expected the token for unknown words, found null',
    ],
    [
      'two tokens with one id',
      { model: { type: 'WordLevel', unk_token: 'a', vocab: { a: 1, b: 2, c: 1 } } },
      'model.vocab: expected an id for "c", found 1, which is that of "a"',
    ],
    ...[-1, 1.5, 2, '0', true].map((id): [string, object, string] => [
      `an unknown piece that is ${String(id)}`,
      {
        model: {
          type: 'Unigram',
          unk_id: id,
          vocab: [
            ['<unk>', 0],
            ['a', -1],
          ],
        },
      },
      `model.unk_id: expected an id below 2, or null, found ${JSON.stringify(id)}`,
    ]),
    [
      'a piece without a score',
      {
        model: {
          type: 'Unigram',
          unk_id: 0,
          vocab: [
            ['<unk>', 0],
            ['a', null],
          ],
        },
      },
      'expected pairs of token and score',
    ],
    [
      'a decoder that is none',
      { ...bert, decoder: { type: 'Sequence', decoders: [{ type: 'Fuse' }, null] } },
      'decoder.decoders[1]: expected an object, found null',
    ],
    [
      'decoders that are none',
      { ...bert, decoder: { type: 'Sequence' } },
      'decoder.decoders: expected a list',
    ],
    ['an unknown decoder', { ...bert, decoder: { type: 'Shout' } }, 'Unknown Decoder type: Shout'],
    ['a pattern that is none', { ...bert, pre_tokenizer: broken }, 'Split.pattern: SyntaxError'],
    [
      'a flag that is text',
      { ...bert, normalizer: { type: 'BertNormalizer', lowercase: 'no' } },
      'BertNormalizer.lowercase: expected true or false, found "no"',
    ],
    [
      'a charsmap that is none',
      { ...bert, normalizer: { type: 'Precompiled', precompiled_charsmap: 'AAAA' } },
      'precompiled_charsmap',
    ],
    [
      'an unknown special token',
      { ...bert, model: { ...bert.model, vocab: { b: 0 } }, added_tokens: [] },
      'found [CLS]',
    ],
  ])('refuses %s', async (_, definition, message) => {
    const loading = load(definition);
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow('tokenizer.json: ');
    await expect(loading).rejects.toThrow(message);
  });
});

describe('unigrams without a piece for unknown characters', () => {
  const unigram = (extra: object): Promise<Tokenizer> =>
    load({
      model: {
        type: 'Unigram',
        unk_id: null,
        vocab: [
          ['a', -1],
          ['b', -2],
          ['<0x7A>', -9],
        ],
        ...extra,
      },
    });

  it('take known text, and refuse the rest when they meet it', async () => {
    const tokenizer = await unigram({});
    expect(tokenizer.encode('ab').ids).toEqual([0, 1]);
    expect(() => tokenizer.encode('az')).toThrow(
      new FormatError('tokenizer.json', 'expected a token for unknown text, found none to stand for "z"'),
    );
  });

  it('spell in bytes what has them', async () => {
    expect((await unigram({ byte_fallback: true })).encode('az').ids).toEqual([0, 2]);
  });
});

describe('a long text that is cut', () => {
  const long = 'a [CLS] bx  , zebra\n'.repeat(2000);
  const mixed = Array.from(
    { length: 3000 },
    (_, i) => 'abcdeé中,'.charAt((i * 7) % 8) + ' '.repeat(i % 3),
  ).join('');
  const roberta = {
    added_tokens: [{ id: 1, content: '<mask>', special: true, lstrip: true }],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    model: { type: 'BPE', vocab: { a: 0, '<mask>': 1, Ġ: 2, b: 3, Ġb: 4 }, merges: ['Ġ b'] },
  };

  it.each([
    ['BERT', bert],
    ['RoBERTa', roberta],
    ['a tokenizer of whole texts', { ...bert, pre_tokenizer: null }],
  ])('has the tokens of the whole one, with %s', async (_, definition) => {
    const tokenizer = await load(definition);
    for (const text of [long, mixed, 'a b '.repeat(3000), 'a'.repeat(5000), ' '.repeat(5000) + 'b b']) {
      const whole = tokenizer.encode(text, { addSpecialTokens: false });
      for (const maxTokens of [0, 1, 7, 128]) {
        const cut = tokenizer.encode(text, { addSpecialTokens: false, maxTokens });
        expect(cut).toEqual({
          ids: whole.ids.slice(0, maxTokens),
          tokens: whole.tokens.slice(0, maxTokens),
          typeIds: whole.typeIds.slice(0, maxTokens),
          spans: whole.spans.slice(0, maxTokens),
          sequences: whole.sequences.slice(0, maxTokens),
          truncated: whole.ids.length > maxTokens,
        });
      }
    }
  });
});

it.each([
  ['words', { pre_tokenizer: { type: 'BertPreTokenizer' } }, 7],
  ['bytes', { normalizer: { type: 'NFC' }, pre_tokenizer: { type: 'ByteLevel' } }, 7],
  ['no words', { pre_tokenizer: null }, undefined],
  ['words in one', { pre_tokenizer: { type: 'Metaspace', split: false } }, undefined],
  ['a pattern', { pre_tokenizer: { type: 'Split' } }, undefined],
  ['a replacement', { normalizer: { type: 'Replace' }, pre_tokenizer: { type: 'Whitespace' } }, undefined],
])('texts of %s are cut early at a space between letters, where that is exact', (_, definition, place) => {
  expect(createCutFinder(definition, [])?.('a b, cd ef', 1)).toBe(place);
  expect(createCutFinder(definition, [])?.('a, b , cd', 0)).toBeUndefined();
});
