import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { textCheckpoint } from '../../test/text_checkpoints.ts';
import { readSafetensorsHeader } from '../formats/safetensors/header.ts';
import { MemorySource } from '../io/memory_source.ts';
import { loadEmbedder, OptionError, ScoreError, UnsupportedError, type Embedder } from '../node.ts';
import { must } from '../util/assert.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const read = (path: string): Promise<Uint8Array> => readFile(new URL(path, fixtures));
const load = async (added: Readonly<Record<string, unknown>> = {}): Promise<Embedder> =>
  loadEmbedder(await textCheckpoint('bert-embed', read, added), { backend: 'cpu' });

const moduleOf = (type: string, path: string): object => ({
  type: `sentence_transformers.models.${type}`,
  path,
});
const modules = [
  moduleOf('Transformer', ''),
  moduleOf('Pooling', '1_Pooling'),
  moduleOf('Normalize', '2_Normalize'),
];
const lengthOf = (vector: Float32Array): number => Math.hypot(...vector);

describe('embed', () => {
  it('pools hidden states, by their mean where nobody says otherwise', async () => {
    using model = await load();
    const [states] = await model.hiddenStates(['Ada met Grace.']);
    const { hiddenSize } = model;
    const rows = must(states, 'states').length / hiddenSize;
    const column = (i: number, row: number): number => states?.[row * hiddenSize + i] ?? NaN;
    const mean = Array.from({ length: hiddenSize }, (_, i) => {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += column(i, row);
      return sum / rows;
    });
    const vector = await model.embed('Ada met Grace.');
    vector.forEach((value, i) => {
      expect(value).toBeCloseTo(mean[i] ?? NaN, 6);
    });
    expect([...(await model.embed('Ada met Grace.', { pooling: 'cls' }))]).toEqual([
      ...(states?.slice(0, hiddenSize) ?? []),
    ]);
    const last = await model.embed('Ada met Grace.', { pooling: 'lastToken' });
    expect([...last]).toEqual([...(states?.slice(-hiddenSize) ?? [])]);
  });

  it('gives vectors the length 1 if asked to, and keeps their direction', async () => {
    using model = await load();
    const plain = await model.embed('Ada');
    const unit = await model.embed('Ada', { normalize: true });
    expect(lengthOf(unit)).toBeCloseTo(1, 6);
    expect(unit[3]).toBeCloseTo((plain[3] ?? NaN) / lengthOf(plain), 6);
    expect(lengthOf(plain)).not.toBeCloseTo(1, 2);
  });

  it('does several at once as it does them alone', async () => {
    using model = await load();
    const inputs = ['Ada', '', 'a longer one, of several words', [5, 6]];
    const together = await model.embed(inputs);
    for (const [i, one] of inputs.entries()) expect(together[i]).toEqual(await model.embed(one));
    expect(await model.embed([])).toEqual([]);
  });

  it('does as sentence-transformers was told to', async () => {
    using model = await load({
      'modules.json': modules,
      '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
      'sentence_bert_config.json': { max_seq_length: 12 },
    });
    expect(model.maxTokens).toBe(12);
    const vector = await model.embed('Ada');
    expect(vector).toEqual(await model.embed('Ada', { pooling: 'cls', normalize: true }));
    expect(vector).not.toEqual(await model.embed('Ada', { normalize: false }));
  });

  it.each<[string, unknown, string]>([
    ['a module that changes vectors', [moduleOf('Dense', '2_Dense')], 'modules.json, module "Dense"'],
    ['a pooling of another kind', modules, '1_Pooling/config.json, pooling "max"'],
  ])('refuses %s', async (_, list, message) => {
    const loading = load({
      'modules.json': list,
      '1_Pooling/config.json': { pooling_mode_max_tokens: true },
    });
    await expect(loading).rejects.toThrow(UnsupportedError);
    await expect(loading).rejects.toThrow(message);
  });

  it('gives no vector with an element that is no number', async () => {
    const files = await textCheckpoint('bert-embed', read);
    const bytes = Uint8Array.from(must(files.get('model.safetensors'), 'weights'));
    const { tensors } = await readSafetensorsHeader(new MemorySource('model.safetensors', bytes));
    const bias = must(
      tensors.find(({ name }) => name.endsWith('2.output.LayerNorm.bias')),
      'bias',
    );
    new DataView(bytes.buffer).setFloat32(bias.offsetBytes + 4 * 3, NaN, true);
    using model = await loadEmbedder(files.set('model.safetensors', bytes), { backend: 'cpu' });
    await expect(model.embed('Ada', { normalize: true })).rejects.toThrow(ScoreError);
    await expect(model.embed('Ada')).rejects.toThrow('score 3: expected a finite number, found NaN');
  });

  it('refuses options without meaning', async () => {
    using model = await load();
    await expect(model.embed('Ada', { pooling: 'max' as never })).rejects.toThrow(
      new OptionError('pooling', 'one of mean, cls, lastToken', '"max"'),
    );
    await expect(model.embed('Ada', { normalize: 1 as never })).rejects.toThrow(OptionError);
  });
});
