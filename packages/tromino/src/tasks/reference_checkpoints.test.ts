import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  goldenRows,
  referenceCheckpoints,
  relativeError,
  type Golden,
} from '../../test/reference_checkpoints.ts';
import { inspectCheckpoint, loadClassifier, loadGenerator } from '../node.ts';

// The 16-bit references come from models that were cast as a whole, rotary frequencies included.
const ropeFrequencies = 'as-stored';
const folder = new URL('../../test/fixtures/checkpoints/', import.meta.url);

describe.each(referenceCheckpoints)('%s on the portable backend', (name) => {
  it('gives the scores that transformers gives', async () => {
    const path = new URL(`${name}/`, folder);
    const golden = JSON.parse(await readFile(new URL('golden.json', path), 'utf8')) as Golden;
    const { head } = await inspectCheckpoint(path);
    if (head === 'classifier') {
      using model = await loadClassifier(path, { backend: 'cpu', ropeFrequencies });
      for (const rows of golden.cases.map(goldenRows)) {
        const found = await model.classify(rows);
        rows.forEach(({ expected }, i) => {
          expect(relativeError(found[i]?.logits ?? [], expected)).toBeLessThan(1e-5);
        });
      }
    } else {
      using model = await loadGenerator(path, { backend: 'cpu', ropeFrequencies });
      for (const golden_ of golden.cases) {
        const [row] = goldenRows(golden_);
        const found = await model.lastLogits(row?.ids ?? []);
        expect(relativeError(found, row?.expected ?? [])).toBeLessThan(1e-5);
        const { ids } = await model.generate(row?.ids ?? [], { maxNewTokens: 24, stopTokens: [] });
        expect(ids).toEqual(golden_.greedy);
      }
    }
  });
});
