import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  boundOf,
  isMeaningful,
  referenceCheckpoints,
  relativeError,
  type Golden,
} from '../../test/reference_checkpoints.ts';
import { loadGolden } from '../../test/run_golden.ts';
import { inspectCheckpoint } from '../node.ts';

// The 16-bit references come from models that were cast as a whole, rotary frequencies included.
const options = { backend: 'cpu', ropeFrequencies: 'as-stored' } as const;
const folder = new URL('../../test/fixtures/checkpoints/', import.meta.url);

describe.each(referenceCheckpoints)('%s on the portable backend', (name) => {
  it('gives what transformers gives', async () => {
    const path = new URL(`${name}/`, folder);
    const golden = JSON.parse(await readFile(new URL('golden.json', path), 'utf8')) as Golden;
    const { head } = await inspectCheckpoint(path);
    const { model, compare } = await loadGolden(path, head, options);
    for (const goldenCase of golden.cases.filter((one) => isMeaningful(name, one))) {
      for (const { output, found, expected } of await compare(goldenCase)) {
        expect(found.length).toBe(expected.length);
        // Ids that a generation continues with are whole numbers: any other is off by at least one of some hundreds.
        for (const [i, row] of expected.entries())
          expect(relativeError(found[i] ?? [], row), output).toBeLessThan(boundOf(name));
      }
    }
    model.dispose();
  });
});
