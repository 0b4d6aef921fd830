import { expect, it } from 'vitest';
import { createTestDevice } from '../exec/testing/test_device.ts';
import { storeInNf4 } from '../../test/nf4_tensors.ts';
import { loadClassifier, loadGenerator } from '../index.ts';
import { must } from '../util/assert.ts';

const url = new URL('/packages/tromino/test/fixtures/checkpoints/llama-seqcls-nf4/', location.origin).href;

it('a classifier in NF4 owns less than 4.6 bits for each quantised weight', async () => {
  using model = await loadClassifier(url, { backend: 'webgpu' });
  const denseBytes = 4 * (320 * 64 + 8 * 64 + 7 * 64);
  const numWeights = 3 * (64 * 64 + 2 * 32 * 64 + 64 * 64 + 3 * 128 * 64);
  const quantisedBytes = model.memory().categories.weights.currentBytes - denseBytes;
  expect(quantisedBytes).toBe((numWeights * 4.5) / 8 + 64);
  expect((quantisedBytes * 8) / numWeights).toBeLessThan(4.6);
});

it('gives the same bits where a binding limit cuts its matrices', async () => {
  const input = { ids: [5, 6, 7, 8, 9] };
  using whole = await loadClassifier(url, { backend: 'webgpu' });
  const expected = await whole.classify(input);
  const cut = await createTestDevice({ maxStorageBufferBindingSize: 5632 });
  {
    using model = await loadClassifier(url, { device: cut.device });
    const { weights } = model.plan(5);
    const stack = (suffix: string): number[] =>
      weights
        .filter(({ weight }) => weight.endsWith(`0.mlp.gate_up_proj.weight.${suffix}`))
        .map(({ numRows }) => numRows);
    expect([stack('codes'), stack('scales')]).toEqual([
      [176, 80],
      [176, 80],
    ]);
    expect(weights.every(({ sizeBytes }) => sizeBytes <= 5632)).toBe(true);
    expect((await model.classify(input)).logits).toEqual(expected.logits);
  }
  expect([...cut.live]).toEqual([]);
  expect(cut.uncaptured).toEqual([]);
  cut.device.destroy();
});

it('a table of tokens in NF4 gives the bits of the same table in floats, also as a tied head and cut', async () => {
  const tied = new URL('../llama-lm-tied/', url);
  const [config, weights] = await Promise.all(
    ['config.json', 'model.safetensors'].map(async (file) => (await fetch(new URL(file, tied))).bytes()),
  );
  const { packed, dense } = await storeInNf4(must(weights, 'weights'), ['model.embed_tokens.weight'], 64);
  const files = (model: Uint8Array<ArrayBuffer>): Map<string, Uint8Array<ArrayBuffer>> =>
    new Map([
      ['config.json', must(config, 'config')],
      ['model.safetensors', model],
    ]);
  const input = { ids: [5, 6, 319] };
  using inFloats = await loadGenerator(files(dense), { backend: 'webgpu' });
  const expected = await inFloats.lastLogits(input);
  using inNf4 = await loadGenerator(files(packed), { backend: 'webgpu' });
  expect(await inNf4.lastLogits(input)).toEqual(expected);
  const narrow = await createTestDevice({ maxStorageBufferBindingSize: 6000 });
  {
    using cut = await loadGenerator(files(packed), { device: narrow.device });
    const runs = cut.plan(3).weights.filter(({ weight }) => weight === 'model.embed_tokens.weight.codes');
    expect(runs.map(({ numRows }) => numRows)).toEqual([187, 133]);
    expect(await cut.lastLogits(input)).toEqual(expected);
  }
  expect([...narrow.live]).toEqual([]);
  expect(narrow.uncaptured).toEqual([]);
  narrow.device.destroy();
});
