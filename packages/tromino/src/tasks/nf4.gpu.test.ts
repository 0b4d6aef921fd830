import { expect, it } from 'vitest';
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
