import { describe, expect, it } from 'vitest';
import {
  goldenRows,
  referenceCheckpoints,
  relativeError,
  type Golden,
} from '../../test/reference_checkpoints.ts';
import { inspectCheckpoint, loadClassifier, loadGenerator } from '../index.ts';

// The 16-bit references come from models that were cast as a whole, rotary frequencies included.
const options = { backend: 'webgpu', ropeFrequencies: 'as-stored' } as const;

describe.each(referenceCheckpoints)('%s on WebGPU', (name) => {
  it('gives the scores that transformers gives, and keeps to the planned bytes', async () => {
    const url = new URL(`/packages/tromino/test/fixtures/checkpoints/${name}/`, location.origin).href;
    const golden = (await (await fetch(new URL('golden.json', url))).json()) as Golden;
    const { head } = await inspectCheckpoint(url);
    using model = await (head === 'classifier' ? loadClassifier(url, options) : loadGenerator(url, options));
    const weightBytes = model.memory().currentBytes;
    for (const rows of golden.cases.map(goldenRows)) {
      const found =
        'classify' in model
          ? (await model.classify(rows)).map(({ logits }) => logits)
          : await model.lastLogits(rows);
      rows.forEach(({ expected }, i) => {
        expect(relativeError(found[i] ?? [], expected)).toBeLessThan(1e-5);
      });
    }
    await model.release();
    expect(model.memory().currentBytes).toBe(weightBytes);
  });
});
