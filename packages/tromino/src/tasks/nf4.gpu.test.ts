import { expect, it } from 'vitest';
import { createTestDevice } from '../exec/testing/test_device.ts';
import { loadClassifier } from '../index.ts';

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
