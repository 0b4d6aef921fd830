import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { quantize } from './quantize.ts';

const fixture = fileURLToPath(
  new URL('../../../tromino/test/fixtures/checkpoints/bert-embed', import.meta.url),
);

let temporary = '';

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tromino-quantize-'));
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(temporary, { recursive: true, force: true });
});

describe('quantize', () => {
  it('copies what says how vectors are made of hidden states, and nothing that does not belong to a checkpoint', async () => {
    const [source, out] = [join(temporary, 'source'), join(temporary, 'out')];
    await cp(fixture, source, { recursive: true });
    await mkdir(join(source, '1_Pooling'));
    const pooling = '{"pooling_mode_cls_token":true}';
    await writeFile(join(source, '1_Pooling', 'config.json'), pooling);
    for (const file of ['modules.json', 'sentence_bert_config.json', 'tokenizer.json', 'notes.txt'])
      await writeFile(join(source, file), '[]');
    const options = { blockSize: 64, doubleQuantization: false, signal: new AbortController().signal };
    expect(await quantize(source, out, options)).toBe(0);
    expect((await readdir(out)).sort()).toEqual([
      '1_Pooling',
      'config.json',
      'model.safetensors',
      'modules.json',
      'sentence_bert_config.json',
      'tokenizer.json',
    ]);
    expect(await readFile(join(out, '1_Pooling', 'config.json'), 'utf8')).toBe(pooling);
  });
});
