import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultCaps,
  ops,
  quantizedRowWords,
  type KernelVariant,
  type RmsNormQuantizeProblem,
} from '../index.ts';
import { rowScale } from '../quantize_activations/reference.ts';
import { runVariant } from '../testing/device.ts';
import { Random, valueKinds, type ValueKind } from '../testing/random.ts';
import { sizes } from '../testing/suite.ts';

// The output is no float that a tolerance could be put on, so the op has a comparison of its own: with the two ops that it stands for.
type Variant = KernelVariant<RmsNormQuantizeProblem>;
type Inputs = Readonly<{ x: Float32Array; weight: Float32Array }>;

function inputsOf({ rows, k }: RmsNormQuantizeProblem, seed: number, kind: ValueKind = 'uniform'): Inputs {
  const random = new Random(seed);
  return { x: random.floats(rows * k, kind), weight: random.floats(k, kind) };
}

async function run(
  variant: Variant,
  problem: RmsNormQuantizeProblem,
  inputs: Inputs,
  caps = defaultCaps,
): Promise<Uint32Array> {
  const out = new Float32Array(problem.rows * quantizedRowWords(problem.k)).fill(NaN);
  const { contract } = ops.rms_norm_quantize;
  return bitsOf(await runVariant(contract, variant, problem, { ...inputs, out }, caps));
}

/** What `rms_norm` and then `quantize_activations` give on the device. */
async function runApart({ rows, k, epsilon }: RmsNormQuantizeProblem, inputs: Inputs): Promise<Uint32Array> {
  const { rms_norm: norm, quantize_activations: quantize } = ops;
  const [normVariant, quantizeVariant] = [norm.variants[0], quantize.variants[0]];
  if (!normVariant || !quantizeVariant) throw new Error('no variants');
  const normed = await runVariant(
    norm.contract,
    normVariant,
    { rows, hidden: k, epsilon },
    { ...inputs, out: new Float32Array(rows * k) },
  );
  const out = new Float32Array(rows * quantizedRowWords(k));
  const x = normed['out'] ?? new Float32Array();
  return bitsOf(await runVariant(quantize.contract, quantizeVariant, { rows, k }, { x, out }));
}

function bitsOf({ out }: Readonly<Record<string, Float32Array>>): Uint32Array {
  if (!out) throw new Error('no output');
  return new Uint32Array(out.buffer, out.byteOffset, out.length);
}

const problems = fc.record({ rows: sizes(33), k: sizes(700), epsilon: fc.constantFrom(1e-5, 1e-6) });

describe.each(ops.rms_norm_quantize.variants)('$id', (variant) => {
  it('gives the bits of the two ops that it stands for', async () => {
    await fc.assert(
      fc.asyncProperty(problems, fc.constantFrom(...valueKinds), fc.nat(), async (problem, kind, seed) => {
        const inputs = inputsOf(problem, seed, kind);
        expect(await run(variant, problem, inputs)).toEqual(await runApart(problem, inputs));
      }),
      { seed: 20_240_607, numRuns: 14 },
    );
  });

  it('gives the bits of the reference', async () => {
    await fc.assert(
      fc.asyncProperty(problems, fc.constantFrom(...valueKinds), fc.nat(), async (problem, kind, seed) => {
        const inputs = inputsOf(problem, seed, kind);
        const expected = new Uint32Array(problem.rows * quantizedRowWords(problem.k));
        ops.rms_norm_quantize.reference(problem, { ...inputs, out: expected });
        expect(await run(variant, problem, inputs)).toEqual(expected);
      }),
      { seed: 20_240_607, numRuns: 14 },
    );
  });

  it('gives the same bits when its dispatch is folded', async () => {
    const problem = { rows: 50, k: 20, epsilon: 1e-6 };
    const inputs = inputsOf(problem, 3);
    const folded = { ...defaultCaps, maxComputeWorkgroupsPerDimension: 7 };
    expect(await run(variant, problem, inputs, folded)).toEqual(await run(variant, problem, inputs));
  });

  it('makes the scale of a row NaN that holds one, and leaves the others alone', async () => {
    const problem = { rows: 2, k: 3, epsilon: 1e-5 };
    const inputs = { x: Float32Array.of(1, NaN, 3, 1, 2, 4), weight: Float32Array.of(1, 2, 3) };
    const found = await run(variant, problem, inputs);
    expect(rowScale(found)).toBeNaN();
    const alone = await run(variant, { ...problem, rows: 1 }, { ...inputs, x: inputs.x.subarray(3) });
    expect(found.subarray(alone.length)).toEqual(alone);
  });

  it.each([
    ['if (i < params.k)', 'if (i + 1u < params.k)'],
    ['+ params.epsilon', '+ 2.0 * params.epsilon'],
    ['norm * weight[i], scale', 'norm, scale'],
    ['round(value * scale)', 'trunc(value * scale)'],
    ['sums[lane] = sum;', 'sums[lane] = sum + 1;'],
  ])('is noticed with "%s" replaced by "%s"', async (from, to) => {
    const problem = { rows: 2, k: 330, epsilon: 1e-2 };
    const inputs = inputsOf(problem, 5);
    expect(variant.wgsl).toContain(from);
    const broken = { ...variant, wgsl: variant.wgsl.replace(from, to) };
    expect(await run(broken, problem, inputs)).not.toEqual(await runApart(problem, inputs));
  });
});
