import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OptionError } from 'tromino';
import { quantize } from './quantize.ts';

const fixture = fileURLToPath(
  new URL('../../../tromino/test/fixtures/checkpoints/bert-embed', import.meta.url),
);

const options = { blockSize: 64, doubleQuantization: false, signal: new AbortController().signal };

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

  it('makes the folders above, and copies the configuration as it is spelled', async () => {
    const source = join(fixture, '..', 'modernbert-seqcls');
    const out = join(temporary, 'deep', 'er', 'out');
    expect(await quantize(source, out, options)).toBe(0);
    const text = await readFile(join(out, 'config.json'), 'utf8');
    expect(text).toContain('"initializer_cutoff_factor": 2.0,');
    expect(JSON.parse(text)).toHaveProperty('quantization_config.bnb_4bit_quant_type', 'nf4');
  });

  it('refuses places where no folder can be made: a link that leads nowhere, below a file, in /proc', async () => {
    const [link, file] = [join(temporary, 'link'), join(temporary, 'file')];
    await symlink(join(temporary, 'nowhere'), link);
    await writeFile(file, '');
    for (const out of [link, join(link, 'in'), join(file, 'in'), '/proc/nothing/out'])
      await expect(quantize(fixture, out, options), out).rejects.toThrow(OptionError);
    expect((await readdir(temporary)).sort()).toEqual(['file', 'link']);
  });
});
