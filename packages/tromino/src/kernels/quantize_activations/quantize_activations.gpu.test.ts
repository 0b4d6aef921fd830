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

/** The reference's rows. */
function expected(problem: QuantizeActivationsProblem, x: Float32Array): Uint32Array {
  const out = new Uint32Array(problem.rows * quantizedRowWords(problem.k));
  ops.quantize_activations.reference(problem, { x, out });
  return out;
}

describe.each(ops.quantize_activations.variants)('$id', (variant) => {
  it('gives the bits of the reference', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ rows: sizes(33), k: sizes(400) }),
        fc.constantFrom(...valueKinds),
        fc.nat(),
        async (problem, kind: ValueKind, seed) => {
          const x = new Random(seed).floats(problem.rows * problem.k, kind);
          expect(await quantize(variant, problem, x)).toEqual(expected(problem, x));
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
    expect(found.subarray(8)).toEqual(expected({ rows: 1, k: 3 }, x.subarray(3)));
  });

  it('scales a row of the largest numbers as it does the same a power of two smaller', async () => {
    const x = Float32Array.of(3e38, -1e38, 1e37);
    const found = await quantize(variant, { rows: 1, k: 3 }, x);
    expect(found).toEqual(expected({ rows: 1, k: 3 }, x));
    expect(rowScale(found)).toBe(Math.fround(127 / Math.fround(3e38)));
    expect([...rowCodes(found).subarray(0, 3)]).toEqual([127, -42, 4]);
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
    expect(await quantize(variant, problem, x)).toEqual(expected(problem, x));
    expect(await quantize(broken, problem, x)).not.toEqual(expected(problem, x));
  });
});
