import { describe, expect, it } from 'vitest';
import { defaultCaps } from '../caps.ts';
import type { MatmulProblem } from './contract.ts';
import { matmulReference } from './reference.ts';
import { matmulVariants } from './variants.ts';

const problem: MatmulProblem = {
  m: 2,
  n: 2,
  k: 3,
  columnOffset: 0,
  numColumns: 2,
  hasBias: false,
  hasResidual: false,
  weightDtype: 'f32',
};
const a = Float32Array.of(1, 2, 3, 4, 5, 6);
const weight = Float32Array.of(1, 0, -1, 2, 1, 0.5);

describe('matmulReference', () => {
  it('multiplies by the transpose of the weight', () => {
    const out = new Float32Array(4);
    matmulReference(problem, { a, weight, out });
    expect([...out]).toEqual([-2, 5.5, -2, 16]);
  });

  it('adds bias and residual, and fills only the columns of its chunk', () => {
    const out = new Float32Array(8).fill(9);
    const chunk = { ...problem, columnOffset: 1, numColumns: 4, hasBias: true, hasResidual: true };
    const bias = Float32Array.of(NaN, 10, 20, NaN);
    const residual = Float32Array.of(NaN, 100, 200, NaN, NaN, 300, 400, NaN);
    matmulReference(chunk, { a, weight, bias, residual, out });
    expect([...out]).toEqual([9, 108, 225.5, 9, 9, 308, 436, 9]);
  });
});

describe('matmulVariants', () => {
  const choice = (sizes: Partial<MatmulProblem>): string | undefined =>
    matmulVariants.find((variant) => variant.fits({ ...problem, ...sizes }, defaultCaps))?.id;

  it.each([
    [{ m: 1, n: 8, k: 64 }, 'matvec_vec4_f32_f32'],
    [{ m: 4, n: 8, k: 63 }, 'matvec_f32_f32'],
    [{ m: 5, n: 8, k: 100 }, 'matmul_tile2x4_f32_f32'],
    [{ m: 346, n: 576, k: 576 }, 'matmul_tile2x4_f32_f32'],
    [{ m: 346, n: 3072, k: 576 }, 'matmul_tile4x4_f32_f32'],
    [{ m: 5, n: 8, k: 517 }, 'matmul_tile2x2_f32_f32'],
  ])('computes %j by %s unless told otherwise', (sizes, id) => {
    expect(choice(sizes)).toBe(id);
  });

  it.each(['matmul_tile4x4_f32_f32', 'matmul_tile2x2_f32_f32', 'matmul_tile16_f32_f32'])(
    'lets %s be forced whatever the rows and columns',
    (id) => {
      const variant = matmulVariants.find((candidate) => candidate.id === id);
      for (const [m, n] of [
        [1, 1],
        [4, 49_152],
        [346, 3072],
      ] as const) {
        expect(variant?.fits({ ...problem, m, n, k: 100 }, defaultCaps)).toBe(true);
      }
    },
  );
});
