import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { relativeError, type Golden } from '../../test/reference_checkpoints.ts';
import { loadGolden } from '../../test/run_golden.ts';
import { inspectCheckpoint } from '../node.ts';

const folder = new URL('../../../../models/', import.meta.url);

/** `f32_error`: how far the reference's own run in f32 is from what it holds, where many roundings to int8 make that much. */
type ShippedGolden = Golden & { readonly f32_error?: number };

// `tromino verify` compares all that is in them, within these bounds or wider ones; here a case or a few short ones must do.
it.each([
  ['polyomino-dense', 1, 1e-5],
  ['polyomino-nf4', 1, 1e-5],
  ['polyomino-ternary', 8, 5e-3],
  ['magicbox', 1, 0],
])(
  'models/%s gives what its golden.json holds',
  async (name, numCases, bound) => {
    const source = new URL(`${name}/`, folder);
    const golden = JSON.parse(await readFile(new URL('golden.json', source), 'utf8')) as ShippedGolden;
    const cases = golden.cases.toSorted((a, b) => a.input_ids.length - b.input_ids.length).slice(0, numCases);
    expect(cases).toHaveLength(numCases);
    const { head } = await inspectCheckpoint(source);
    const { model, compare } = await loadGolden(source, head, { backend: 'cpu' });
    for (const one of cases) {
      const comparisons = await compare(one);
      expect(comparisons.length).toBeGreaterThan(0);
      for (const { output, found, expected } of comparisons) {
        expect(found.length).toBe(expected.length);
        for (const [i, row] of expected.entries())
          expect(relativeError(found[i] ?? [], row), output).toBeLessThan(
            Math.max(bound, 3 * (golden.f32_error ?? 0)),
          );
      }
    }
    model.dispose();
  },
  120_000,
);
