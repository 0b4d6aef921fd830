import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTernary } from '../../tensor/ternary.ts';
import { defaultCaps, ops, quantizedRowWords, ternaryParts, type MatmulTernaryProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random, type ValueKind } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.matmul_ternary;

function problemOf(
  m: number,
  columns: readonly number[],
  k: number,
  rest: Partial<MatmulTernaryProblem> = {},
): MatmulTernaryProblem {
  const n = columns.reduce((sum, size) => sum + size, 0);
  const plain = {
    columnOffset: 0,
    numColumns: n,
    scaling: 'multiply',
    hasBias: false,
    scalesBias: false,
    hasResidual: false,
  } as const;
  return { m, n, k, ...ternaryParts(columns), ...plain, ...rest };
}

function quantizedRows(m: number, k: number, random: Random, kind: ValueKind): Uint32Array {
  const out = new Uint32Array(m * quantizedRowWords(k));
  ops.quantize_activations.reference({ rows: m, k }, { x: random.floats(m * k, kind), out });
  return out;
}

function ternaryWeight(n: number, k: number, random: Random): Uint32Array {
  const codes = Int8Array.from({ length: n * k }, () => random.below(3) - 1);
  return packTernary([{ rows: n, columns: k, codes }], k);
}

describeKernel<MatmulTernaryProblem>({
  definition: ops.matmul_ternary,
  problems: fc
    .record({
      m: sizes(70),
      columns: fc.array(sizes(64), { minLength: 1, maxLength: 4 }),
      k: sizes(300),
      columnOffset: fc.constantFrom(0, 0, 1, 64),
      beyond: fc.constantFrom(0, 0, 5),
      scaling: fc.constantFrom('multiply' as const, 'divide' as const),
      hasBias: fc.boolean(),
      scalesBias: fc.boolean(),
      hasResidual: fc.boolean(),
    })
    .map(({ m, columns, k, columnOffset, beyond, ...flags }) => {
      const problem = problemOf(m, columns, k, { columnOffset, ...flags });
      return { ...problem, numColumns: columnOffset + problem.n + beyond };
    }),
  inputs: (problem, random, kind) => {
    const { bias, residual } = contract.operandLengths(problem);
    return {
      a: quantizedRows(problem.m, problem.k, random, kind),
      weight: ternaryWeight(problem.n, problem.k, random),
      scales: Float32Array.from({ length: problem.numParts }, () => 0.01 + random.unit()),
      ...(bias === undefined ? {} : { bias: random.floats(bias) }),
      ...(residual === undefined ? {} : { residual: random.floats(residual) }),
    };
  },
  always: [
    problemOf(1, [1], 1),
    problemOf(2, [1], 517),
    problemOf(15, [33], 64),
    problemOf(33, [16, 8, 8], 48, { hasBias: true, hasResidual: true }),
    problemOf(346, [64, 32, 32], 128),
    problemOf(4, [130], 1536, { hasBias: true, scalesBias: true }),
    problemOf(20, [40], 100, { scaling: 'divide', hasBias: true }),
  ],
  folding: [problemOf(100, [200], 16), problemOf(4, [300], 20)],
  twins: [
    {
      variant: 'matvec_dot4_ternary_i8',
      from: 'multiply(sums, group + 3u, w3)',
      to: 'multiply(sums, group + 2u, w3)',
      problem: problemOf(2, [5], 130),
    },
    {
      variant: 'matvec_ternary_i8',
      from: 'i32(a)) >> vec4u(24u)',
      to: 'i32(a)) >> vec4u(25u)',
      problem: problemOf(2, [5], 33),
    },
    {
      variant: 'matmul_tile2x4_dot4_ternary_i8',
      from: 'select(vec4u(0u), codes, group < groups)',
      to: 'codes',
      problem: problemOf(33, [33], 20),
    },
    {
      variant: 'matmul_tile2x4_dot4_ternary_i8',
      from: 'column >= params.part_end_0',
      to: 'column > params.part_end_0',
      problem: problemOf(5, [16, 17], 17),
    },
    {
      variant: 'matmul_tile2x4_ternary_i8',
      from: ' - bitcast<i32>(header.y)',
      to: '',
      problem: problemOf(5, [33], 17, { numColumns: 38 }),
    },
  ],
});

describe('matmul_ternary', () => {
  it('sums the largest codes of a long row without overflow', async () => {
    const [n, k] = [3, 40_000];
    const a = new Uint32Array(quantizedRowWords(k));
    ops.quantize_activations.reference({ rows: 1, k }, { x: new Float32Array(k).fill(-2), out: a });
    const codes = new Int8Array(n * k);
    codes.fill(1, 0, k).fill(-1, k, 2 * k);
    const weight = packTernary([{ rows: n, columns: k, codes }], k);
    const operands = { a, weight, scales: Float32Array.of(1), out: new Float32Array(n).fill(NaN) };
    for (const variant of variants) {
      const { out } = await runVariant(contract, variant, problemOf(1, [n], k), operands);
      expect([...(out ?? [])], variant.id).toEqual([-80_000, 80_000, 0]);
    }
  });

  it('gives a row computed alone the bits that it has among others', async () => {
    const [m, n, k, row] = [40, 70, 96, 37];
    const random = new Random(7);
    const [a, weight] = [quantizedRows(m, k, random, 'uniform'), ternaryWeight(n, k, random)];
    const scales = Float32Array.of(0.3, 0.7);
    const problem = problemOf(m, [30, 40], k);
    const words = quantizedRowWords(k);
    for (const among of variants.filter((variant) => variant.fits(problem, defaultCaps))) {
      const all = await runVariant(contract, among, problem, {
        a,
        weight,
        scales,
        out: new Float32Array(m * n),
      });
      for (const alone of variants) {
        const operands = {
          a: a.slice(row * words, (row + 1) * words),
          weight,
          scales,
          out: new Float32Array(n),
        };
        const found = await runVariant(contract, alone, { ...problem, m: 1 }, operands);
        expectSameBits(found, { out: all['out']?.slice(row * n, (row + 1) * n) ?? new Float32Array() });
      }
    }
  });
});
