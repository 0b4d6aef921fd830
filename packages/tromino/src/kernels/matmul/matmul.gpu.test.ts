import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCaps, ops, type MatmulProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

function problemOf(m: number, n: number, k: number, rest: Partial<MatmulProblem> = {}): MatmulProblem {
  const plain = {
    columnOffset: 0,
    numColumns: n,
    hasBias: false,
    hasResidual: false,
    weightDtype: 'f32' as const,
  };
  return { m, n, k, ...plain, ...rest };
}

const { contract, variants } = ops.matmul;

describeKernel<MatmulProblem>({
  definition: ops.matmul,
  problems: fc
    .record({
      m: sizes(70),
      n: sizes(140),
      k: sizes(200),
      columnOffset: fc.constantFrom(0, 0, 1, 64),
      beyond: fc.constantFrom(0, 0, 5),
      hasBias: fc.boolean(),
      hasResidual: fc.boolean(),
    })
    .map(({ m, n, k, columnOffset, beyond, hasBias, hasResidual }) =>
      problemOf(m, n, k, { columnOffset, numColumns: columnOffset + n + beyond, hasBias, hasResidual }),
    ),
  inputs: (problem, random, kind) => {
    const { bias, residual } = contract.operandLengths(problem);
    return {
      a: random.floats(problem.m * problem.k, kind),
      weight: random.floats(problem.n * problem.k, kind),
      ...(bias === undefined ? {} : { bias: random.floats(bias, kind) }),
      ...(residual === undefined ? {} : { residual: random.floats(residual, kind) }),
    };
  },
  always: [
    problemOf(1, 1, 1),
    problemOf(1, 1, 517),
    problemOf(33, 1, 517),
    problemOf(33, 65, 48, { hasBias: true, hasResidual: true }),
    problemOf(4, 130, 1536, { hasBias: true }),
    problemOf(20, 40, 100),
  ],
  folding: [problemOf(100, 200, 16), problemOf(4, 300, 20)],
  twins: [
    {
      variant: 'matvec_vec4_f32_f32',
      from: 'quads, w7)',
      to: 'quads, w6)',
      problem: problemOf(2, 5, 36),
    },
    {
      variant: 'matvec_f32_f32',
      from: 'k < params.k; k++',
      to: 'k + 1u < params.k; k++',
      problem: problemOf(2, 5, 129),
    },
    {
      variant: 'matmul_tile2x4_f32_f32',
      from: 'vec4f(a1.w)',
      to: 'vec4f(a0.w)',
      problem: problemOf(33, 33, 20),
    },
    {
      variant: 'matmul_tile4x4_f32_f32',
      from: 'vec4f(a2.w)',
      to: 'vec4f(a1.w)',
      problem: problemOf(33, 33, 32),
    },
    {
      variant: 'matmul_tile2x2_f32_f32',
      from: 'column >= params.n',
      to: 'column > params.n',
      problem: problemOf(5, 33, 17, { numColumns: 38 }),
    },
    {
      variant: 'matmul_tile16_f32_f32',
      from: 'min(TILE, params.k - k0)',
      to: 'min(TILE, params.k - k0 - 1u)',
      problem: problemOf(5, 5, 17),
    },
  ],
});

describe('matmul', () => {
  it('gives the same bits by every variant where the sums are zeros of either sign', async () => {
    // Each product is -1e-60, which is -0 in f32; K is no multiple of any variant's step.
    const problem = problemOf(5, 9, 20);
    const operands = {
      a: new Float32Array(5 * 20).fill(-1e-30),
      weight: new Float32Array(9 * 20).fill(1e-30),
      out: new Float32Array(5 * 9).fill(NaN),
    };
    const found = [];
    for (const variant of variants.filter((candidate) => candidate.fits(problem, defaultCaps))) {
      found.push(await runVariant(contract, variant, problem, operands));
    }
    const [first = {}, ...others] = found;
    expect(others.length).toBe(3);
    for (const other of others) expectSameBits(other, first);
  });

  it('gives a row computed alone the bits that it has among others', async () => {
    const [m, n, k] = [40, 70, 96];
    const random = new Random(7);
    const [a, weight] = [random.floats(m * k), random.floats(n * k)];
    const poison = (length: number): Float32Array => new Float32Array(length).fill(NaN);
    for (const among of variants.filter((variant) => variant.fits(problemOf(m, n, k), defaultCaps))) {
      const all = await runVariant(contract, among, problemOf(m, n, k), { a, weight, out: poison(m * n) });
      for (const alone of variants) {
        const row = 37;
        const operands = { a: a.slice(row * k, (row + 1) * k), weight, out: poison(n) };
        const found = await runVariant(contract, alone, problemOf(1, n, k), operands);
        expectSameBits(found, { out: (all.out ?? poison(0)).slice(row * n, (row + 1) * n) });
      }
    }
  });
});
