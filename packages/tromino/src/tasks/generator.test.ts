import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadGenerator } from '../node.ts';

const folder = new URL('../../test/fixtures/checkpoints/llama-lm-tied/', import.meta.url);

/** The fixture with a vocabulary of words in SentencePiece's manner: a word carries its space, and the first one's is taken off a text. */
async function checkpointWithWords(): Promise<Map<string, Uint8Array>> {
  const vocab = Object.fromEntries(Array.from({ length: 320 }, (_, id) => [`▁w${id}`, id]));
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: { type: 'BPE', vocab, merges: [] },
  };
  return new Map([
    ['config.json', await readFile(new URL('config.json', folder))],
    ['model.safetensors', await readFile(new URL('model.safetensors', folder))],
    ['tokenizer.json', new TextEncoder().encode(JSON.stringify(tokenizer))],
  ]);
}

describe('generate', () => {
  it('keeps the space between the prompt and what continues it, also in the text so far', async () => {
    using model = await loadGenerator(await checkpointWithWords(), { backend: 'cpu' });
    const soFar: string[] = [];
    const onToken = (_: number, text: string): void => {
      soFar.push(text);
    };
    const { ids, text } = await model.generate([5, 9], { maxNewTokens: 2, stopTokens: [], onToken });
    expect(text).toBe(` w${ids[0] ?? ''} w${ids[1] ?? ''}`);
    expect(soFar).toEqual([` w${ids[0] ?? ''}`, text]);
  });
});
