import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequantizeNf4, nf4Map, quantizeNf4 } from '../../tensor/nf4.ts';
import { defaultCaps, ops, type MatmulNf4Problem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';
import { packNf4Codes, packNf4Scales } from './pack.ts';

function problemOf(m: number, n: number, k: number, rest: Partial<MatmulNf4Problem> = {}): MatmulNf4Problem {
  const plain = { columnOffset: 0, numColumns: n, hasBias: false, hasResidual: false, blockSize: 64 };
  return { m, n, k, ...plain, ...rest };
}

const { contract, variants } = ops.matmul_nf4;

describeKernel<MatmulNf4Problem>({
  definition: ops.matmul_nf4,
  problems: fc
    .record({
      m: sizes(70),
      n: sizes(140),
      // Multiples of 8 are frequent, so that the variants which need them are found problems.
      k: fc.oneof(
        sizes(200),
        fc.integer({ min: 1, max: 25 }).map((words) => words * 8),
      ),
      columnOffset: fc.constantFrom(0, 0, 1, 64),
      beyond: fc.constantFrom(0, 0, 5),
      hasBias: fc.boolean(),
      hasResidual: fc.boolean(),
      blockSize: fc.constantFrom(32, 64, 128, 4096),
    })
    .map(({ m, n, k, columnOffset, beyond, ...rest }) =>
      problemOf(m, n, k, { columnOffset, numColumns: columnOffset + n + beyond, ...rest }),
    ),
  inputs: (problem, random, kind) => {
    const { codes, scales, bias, residual } = contract.operandLengths(problem);
    return {
      a: random.floats(problem.m * problem.k, kind),
      codes: random.indices(codes ?? 0, 2 ** 32),
      scales: random.floats(scales ?? 0, kind),
      quant_map: Float32Array.from(nf4Map),
      ...(bias === undefined ? {} : { bias: random.floats(bias, kind) }),
      ...(residual === undefined ? {} : { residual: random.floats(residual, kind) }),
    };
  },
  always: [
    problemOf(1, 1, 1),
    problemOf(1, 1, 520),
    problemOf(33, 1, 517),
    problemOf(33, 65, 48, { hasBias: true, hasResidual: true }),
    problemOf(4, 130, 1536, { hasBias: true }),
    problemOf(20, 40, 104, { blockSize: 32 }),
    problemOf(5, 40, 256, { blockSize: 256 }),
  ],
  folding: [problemOf(100, 200, 16), problemOf(4, 300, 24)],
  twins: [
    {
      variant: 'matvec_nf4_f32',
      from: 'bits3, scale_of(column, word * 8u + 24u)',
      to: 'bits3, scale_of(column, word * 8u - 8u)',
      problem: problemOf(2, 5, 192, { blockSize: 32 }),
    },
    {
      variant: 'matmul_tile2x4_nf4_f32',
      from: 'next_word >> 16u',
      to: 'next_word >> 12u',
      problem: problemOf(33, 33, 24),
    },
    {
      variant: 'matmul_tile4x4_nf4_f32',
      from: '(k >> params.block_shift) * params.n',
      to: '(k >> params.block_shift) * params.k',
      problem: problemOf(33, 33, 128),
    },
    {
      variant: 'matmul_tile16_nf4_f32',
      from: 'k % 8u * 4u',
      to: 'k % 8u * 2u',
      problem: problemOf(5, 5, 17),
    },
  ],
});

describe('matmul_nf4', () => {
  const lengths = [8, 64, 96, 200, 333, 576];
  const rows = [1, 2, 15, 33];
  const cases = rows.flatMap((m) => lengths.map((k) => [m, k % 3 === 0 ? 33 : 64, k] as const));

  it.each([...cases, [346, 40, 72] as const])(
    'gives the bits of matmul with the same weights as f32 at M, N, K = %i, %i, %i',
    async (m, n, k) => {
      const random = new Random(m * n * k);
      const blockSize = k === 576 ? 32 : 64;
      const problem = problemOf(m, n, k, { blockSize, hasBias: true, hasResidual: true });
      const { codes, scales } = quantizeNf4(random.floats(n * k), blockSize);
      const stack = { first: 0, count: n, total: n };
      const packedCodes = new Uint32Array(n * Math.ceil(k / 8));
      packNf4Codes(packedCodes, codes, stack, k);
      const packedScales = new Float32Array(scales.length);
      packNf4Scales(packedScales, scales, stack, k, blockSize);
      const shared = {
        a: random.floats(m * k),
        bias: random.floats(n),
        residual: random.floats(m * n),
        out: new Float32Array(m * n).fill(NaN),
      };
      const dense = ops.matmul.variants.find(({ id }) => id === 'matmul_tile16_f32_f32');
      if (!dense) throw new Error('the dense baseline is gone');
      const weight = dequantizeNf4({ codes, scales }, n * k, blockSize);
      const denseProblem = { ...problem, weightDtype: 'f32' as const };
      const expected = await runVariant(ops.matmul.contract, dense, denseProblem, { ...shared, weight });
      const packed = { codes: packedCodes, scales: packedScales, quant_map: Float32Array.from(nf4Map) };
      const fitting = variants.filter((variant) => variant.fits(problem, defaultCaps));
      expect(fitting.length).toBeGreaterThan(0);
      for (const variant of fitting) {
        expectSameBits(await runVariant(contract, variant, problem, { ...shared, ...packed }), expected);
      }
    },
  );
});
