import { describe, expect, it } from 'vitest';
import {
  boundOf,
  isMeaningful,
  referenceCheckpoints,
  relativeError,
  type Golden,
} from '../../test/reference_checkpoints.ts';
import { loadGolden } from '../../test/run_golden.ts';
import { inspectCheckpoint } from '../index.ts';

// The 16-bit references come from models that were cast as a whole, rotary frequencies included.
const options = { backend: 'webgpu', ropeFrequencies: 'as-stored' } as const;

describe.each(referenceCheckpoints)('%s on WebGPU', (name) => {
  it('gives what transformers gives, and keeps to the planned bytes', async () => {
    const url = new URL(`/packages/tromino/test/fixtures/checkpoints/${name}/`, location.origin).href;
    const golden = (await (await fetch(new URL('golden.json', url))).json()) as Golden;
    const { head } = await inspectCheckpoint(url);
    const { model, compare } = await loadGolden(url, head, options);
    const weightBytes = model.memory().currentBytes;
    for (const goldenCase of golden.cases.filter((one) => isMeaningful(name, one))) {
      // Generations are compared on the portable backend: here each new length would be a plan to prepare.
      for (const { output, found, expected } of await compare(goldenCase, 'greedy')) {
        expect(found.length).toBe(expected.length);
        for (const [i, row] of expected.entries())
          expect(relativeError(found[i] ?? [], row), output).toBeLessThan(boundOf(name));
      }
    }
    await model.release();
    expect(model.memory().currentBytes).toBe(weightBytes);
    model.dispose();
  });
});
