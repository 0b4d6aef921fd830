import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultCaps,
  ops,
  quantizedRowWords,
  type KernelVariant,
  type QuantizeActivationsProblem,
} from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random, valueKinds, type ValueKind } from '../testing/random.ts';
import { sizes } from '../testing/suite.ts';
import { rowCodes, rowScale } from './reference.ts';

// The output is no float that a tolerance could be put on, so the op has a comparison of its own.
type Variant = KernelVariant<QuantizeActivationsProblem>;

async function quantize(
  variant: Variant,
  problem: QuantizeActivationsProblem,
  x: Float32Array,
  caps = defaultCaps,
): Promise<Uint32Array> {
  const poison = new Float32Array(problem.rows * quantizedRowWords(problem.k)).fill(NaN);
  const { out } = await runVariant(
    ops.quantize_activations.contract,
    variant,
    problem,
    { x, out: poison },
    caps,
  );
  if (!out) throw new Error('no output');
  return new Uint32Array(out.buffer, out.byteOffset, out.length);
}

/** What is wrong with the device's rows, or undefined. */
function mistake(
  problem: QuantizeActivationsProblem,
  x: Float32Array,
  found: Uint32Array,
): string | undefined {
  const { rows, k } = problem;
  const words = quantizedRowWords(k);
  const expected = new Uint32Array(rows * words);
  ops.quantize_activations.reference(problem, { x, out: expected });
  for (let row = 0; row < rows; row++) {
    const [mine, theirs] = [found, expected].map((all) => all.subarray(row * words, (row + 1) * words)) as [
      Uint32Array,
      Uint32Array,
    ];
    const [scale, wanted] = [rowScale(mine), rowScale(theirs)];
    if (!(Math.abs(scale - wanted) <= 4e-7 * wanted)) return `row ${row}: scale ${wanted}, found ${scale}`;
    const codes = rowCodes(mine);
    const sum = codes.reduce((total, code) => total + code, 0);
    if ((mine[1] as number) !== sum >>> 0) return `row ${row}: sum ${sum}, found ${mine[1] as number}`;
    if (mine[2] !== 0 || mine[3] !== 0) return `row ${row}: header`;
    for (const [i, code] of codes.entries()) {
      // A whole row of equal magnitudes gives ±127 exactly; elsewhere a product near a tie may go either way.
      const exact = i < k ? (x[row * k + i] as number) * wanted : 0;
      if (Math.abs(code - exact) > 0.5 + 1e-4) return `row ${row}, element ${i}: ${exact}, found ${code}`;
    }
  }
  return undefined;
}

describe.each(ops.quantize_activations.variants)('$id', (variant) => {
  it('agrees with the reference', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ rows: sizes(33), k: sizes(400) }),
        fc.constantFrom(...valueKinds),
        fc.nat(),
        async (problem, kind: ValueKind, seed) => {
          const x = new Random(seed).floats(problem.rows * problem.k, kind);
          expect(mistake(problem, x, await quantize(variant, problem, x))).toBeUndefined();
        },
      ),
      { seed: 20_240_607, numRuns: 12 },
    );
  });

  it('gives the same bits when its dispatch is folded', async () => {
    const problem = { rows: 50, k: 20 };
    const x = new Random(3).floats(50 * 20);
    const folded = { ...defaultCaps, maxComputeWorkgroupsPerDimension: 7 };
    expect(await quantize(variant, problem, x, folded)).toEqual(await quantize(variant, problem, x));
  });

  it('makes the scale of a row NaN that holds one, and leaves the others alone', async () => {
    const x = Float32Array.of(1, NaN, 3, 1, 2, 4);
    const found = await quantize(variant, { rows: 2, k: 3 }, x);
    expect(rowScale(found)).toBeNaN();
    expect(mistake({ rows: 1, k: 3 }, x.subarray(3), found.subarray(8))).toBeUndefined();
  });

  it.each([
    ['if (i < params.k)', 'if (i + 1u < params.k)'],
    ['half = LANES / 2u', 'half = LANES / 4u'],
    ['round(value * scale)', 'trunc(value * scale)'],
    ['sums[lane] = sum;', 'sums[lane] = sum + 1;'],
  ])('is noticed with "%s" replaced by "%s"', async (from, to) => {
    const problem = { rows: 2, k: 330 };
    const x = new Random(5).floats(2 * 330);
    expect(variant.wgsl).toContain(from);
    const broken = { ...variant, wgsl: variant.wgsl.replace(from, to) };
    expect(mistake(problem, x, await quantize(variant, problem, x))).toBeUndefined();
    expect(mistake(problem, x, await quantize(broken, problem, x))).toBeDefined();
  });
});
