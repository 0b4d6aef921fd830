import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultCaps,
  type KernelVariant,
  type OpDefinition,
  type OperandArrays,
  type Problem,
} from '../index.ts';
import { bitDifference, difference } from './compare.ts';
import { runVariant } from './device.ts';
import { Random, valueKinds, type ValueKind } from './random.ts';

/** A kernel with one thing wrong: the shader of `variant` with `from` replaced by `to`. It must fail on `problem`. */
export interface BrokenTwin<P extends Problem> {
  readonly variant: string;
  readonly from: string;
  readonly to: string;
  readonly problem: P;
}

/** What the tests of an op are made from. */
export interface KernelSuite<P extends Problem> {
  readonly definition: OpDefinition<P>;
  /** Problems biased to the sizes at which kernels break. */
  readonly problems: fc.Arbitrary<P>;
  /** Inputs for a problem, all fitting its `operandLengths`. */
  inputs(problem: P, random: Random, kind: ValueKind): OperandArrays;
  /** Problems that every run includes, for every variant that fits them. */
  readonly always: readonly P[];
  /** Large enough that every variant takes more than seven workgroups. */
  readonly folding: readonly P[];
  readonly twins: readonly BrokenTwin<P>[];
}

const seed = 20_240_607;

/**
 * Sizes at which kernels break: 1, tile and vector widths with their neighbours, primes, and whatever else is below `max`. Multiples
 * of 16 are frequent, so that variants which need them are found problems.
 */
export function sizes(max: number): fc.Arbitrary<number> {
  const edges = [
    1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 32, 33, 37, 48, 63, 64, 65, 80, 96, 127, 128, 129, 131, 160,
  ];
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...edges.filter((size) => size <= max)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max }) },
  );
}

/**
 * Declares the tests that every op has: each variant against the reference, all variants against each other bit for bit, folded
 * dispatches, and broken twins as a control that the comparison can fail.
 */
export function describeKernel<P extends Problem>(suite: KernelSuite<P>, numRuns = 12): void {
  const { contract, variants } = suite.definition;
  describe(contract.op, () => {
    describe.each(variants.map((variant) => [variant.id, variant] as const))('%s', (_id, variant) => {
      const fitting = suite.problems.filter((problem) => variant.fits(problem, defaultCaps));

      it('agrees with the reference', async () => {
        await fc.assert(
          fc.asyncProperty(
            fitting,
            fc.constantFrom(...valueKinds),
            fc.nat(),
            async (problem, kind, inputSeed) => {
              expect(await mistake(suite, variant, problem, kind, inputSeed)).toBeUndefined();
            },
          ),
          { seed, numRuns },
        );
      });

      it('agrees with the reference on the chosen problems', async () => {
        for (const problem of suite.always.filter((p) => variant.fits(p, defaultCaps))) {
          expect(
            await mistake(suite, variant, problem, 'uniform', seed),
            JSON.stringify(problem),
          ).toBeUndefined();
        }
      });

      it('gives the same bits when its dispatch is folded', async () => {
        const problem = suite.folding.find((p) => variant.fits(p, defaultCaps));
        if (!problem) throw new Error(`no problem to fold ${variant.id} with`);
        expect(variant.workgroups(problem, defaultCaps)).toBeGreaterThan(7);
        const operands = withPoison(suite, problem, new Random(seed), 'uniform');
        const folded = { ...defaultCaps, maxComputeWorkgroupsPerDimension: 7 };
        const expected = await runVariant(contract, variant, problem, operands);
        expectSameBits(await runVariant(contract, variant, problem, operands, folded), expected);
      });
    });

    it('computes every problem by some variant, and the same bits by all', async () => {
      await fc.assert(
        fc.asyncProperty(
          suite.problems,
          fc.constantFrom(...valueKinds),
          fc.nat(),
          async (problem, kind, inputSeed) => {
            const [first, ...others] = variants.filter((variant) => variant.fits(problem, defaultCaps));
            if (!first) throw new Error('no variant fits');
            const operands = withPoison(suite, problem, new Random(inputSeed), kind);
            const expected = await runVariant(contract, first, problem, operands);
            for (const other of others)
              expectSameBits(await runVariant(contract, other, problem, operands), expected);
          },
        ),
        { seed, numRuns },
      );
    });

    it.each(suite.twins)(
      'notices $variant with "$from" replaced by "$to"',
      async ({ variant: id, from, to, problem }) => {
        const sound = variants.find((variant) => variant.id === id);
        if (!sound?.wgsl.includes(from)) throw new Error(`${id} does not contain "${from}"`);
        const broken = { ...sound, wgsl: sound.wgsl.replace(from, to) };
        expect(await mistake(suite, sound, problem, 'uniform', seed)).toBeUndefined();
        expect(await mistake(suite, broken, problem, 'uniform', seed)).toBeDefined();
      },
    );
  });
}

/** Fails unless both have the same outputs, bit for bit. */
export function expectSameBits(
  found: Readonly<Record<string, Float32Array>>,
  expected: Readonly<Record<string, Float32Array>>,
): void {
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const [name, values] of Object.entries(expected)) {
    expect(bitDifference(found[name] ?? new Float32Array(), values), name).toBeUndefined();
  }
}

/** Runs the variant and the reference, and says what differs beyond the contract's tolerance. */
async function mistake<P extends Problem>(
  suite: KernelSuite<P>,
  variant: KernelVariant<P>,
  problem: P,
  kind: ValueKind,
  inputSeed: number,
): Promise<string | undefined> {
  const { contract } = suite.definition;
  const operands = withPoison(suite, problem, new Random(inputSeed), kind);
  const found = await runVariant(contract, variant, problem, operands);
  suite.definition.reference(problem, operands);
  for (const [name, values] of Object.entries(found)) {
    const wrong = difference(values, operands[name] as Float32Array, contract.tolerance);
    if (wrong !== undefined) return `${name} ${wrong}`;
  }
  return undefined;
}

/** The suite's inputs, and outputs full of NaN, so that an element which nobody writes is seen. */
function withPoison<P extends Problem>(
  suite: KernelSuite<P>,
  problem: P,
  random: Random,
  kind: ValueKind,
): OperandArrays {
  const { contract } = suite.definition;
  const lengths = contract.operandLengths(problem);
  const outputs = contract.operands.filter(({ role }) => role === 'output');
  const poison = outputs.map(({ name }) => [name, new Float32Array(lengths[name] ?? 0).fill(NaN)] as const);
  return { ...suite.inputs(problem, random, kind), ...Object.fromEntries(poison) };
}
