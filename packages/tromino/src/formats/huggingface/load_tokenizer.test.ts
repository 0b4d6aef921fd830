import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../io/checkpoint_files.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { FormatError } from '../../util/errors.ts';
import { loadTokenizer } from './load_tokenizer.ts';

const definition = {
  added_tokens: [{ id: 3, content: '<s>', special: true, normalized: false }],
  pre_tokenizer: { type: 'WhitespaceSplit' },
  model: { type: 'WordLevel', vocab: { a: 0, '.': 1, '<x>': 2 }, unk_token: null },
};

async function load(files: Readonly<Record<string, object | string>>): Promise<Tokenizer | undefined> {
  const contents = Object.entries(files).map(([name, content]): [string, Uint8Array] => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return [name, new TextEncoder().encode(text)];
  });
  return await loadTokenizer(openCheckpoint(new Map(contents)));
}

describe('loadTokenizer', () => {
  it('gives nothing for a checkpoint without a tokenizer', async () => {
    expect(await load({ 'tokenizer_config.json': {} })).toBeUndefined();
  });

  it('needs no tokenizer_config.json, and then decodes as the native library does', async () => {
    const tokenizer = await load({ 'tokenizer.json': definition });
    expect(tokenizer?.encode('<s> a').ids).toEqual([3, 0]);
    expect(tokenizer?.decode([3, 0, 2, 1], { skipSpecialTokens: true })).toBe('a <x> .');
  });

  it.each<[string, object]>([
    [
      '4',
      {
        additional_special_tokens: [{ __type: 'AddedToken', content: '<x>' }],
        eos_token: { content: '<s>' },
      },
    ],
    ['4, in plain text', { additional_special_tokens: ['<x>'], eos_token: '<s>', unk_token: null }],
    ['5', { backend: 'tokenizers', extra_special_tokens: ['<x>'], eos_token: '<s>' }],
    ['5, by name', { extra_special_tokens: { x_token: '<x>' } }],
  ])('reads tokenizer_config.json as transformers %s writes it', async (_, config) => {
    const files = {
      'tokenizer.json': definition,
      'tokenizer_config.json': { ...config, clean_up_tokenization_spaces: true },
    };
    const tokenizer = await load(files);
    expect(tokenizer?.decode([3, 0, 2, 1], { skipSpecialTokens: true })).toBe('a.');
  });

  it.each<[string, string, string]>([
    [
      'an HTML page',
      '<!doctype html><title>404</title>',
      'tokenizer.json: expected JSON, found an HTML or XML page',
    ],
    ['cut', JSON.stringify(definition).slice(0, 100), 'tokenizer.json: expected JSON, found SyntaxError'],
    ['empty', '', 'tokenizer.json: expected JSON, found an empty file'],
    ['some other JSON', '{"a": 1}', 'tokenizer.json: expected a tokenizer model'],
  ])('refuses a tokenizer.json that is %s', async (_, text, message) => {
    const loading = load({ 'tokenizer.json': text });
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow(message);
  });

  it('names tokenizer_config.json when that is the broken one', async () => {
    const loading = load({ 'tokenizer.json': definition, 'tokenizer_config.json': '<html>' });
    await expect(loading).rejects.toThrow('tokenizer_config.json: expected JSON, found an HTML');
  });
});
