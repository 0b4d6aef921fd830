import { describe, expect, it } from 'vitest';
import { packTernary } from '../../tensor/ternary.ts';
import { defaultCaps } from '../caps.ts';
import { quantizeActivationsReference } from '../quantize_activations/reference.ts';
import { quantizedRowWords } from '../quantize_activations/contract.ts';
import { ternaryParts, type MatmulTernaryProblem } from './contract.ts';
import { matmulTernaryReference } from './reference.ts';
import { matmulTernaryVariants } from './variants.ts';

const problem: MatmulTernaryProblem = {
  m: 1,
  n: 3,
  k: 3,
  columnOffset: 0,
  numColumns: 3,
  ...ternaryParts([2, 1]),
  scaling: 'multiply',
  hasBias: false,
  scalesBias: false,
  hasResidual: false,
};
const a = new Uint32Array(quantizedRowWords(3));
// Largest 127: scale 1, so the codes are the numbers.
quantizeActivationsReference({ rows: 1, k: 3 }, { x: Float32Array.of(127, -20, 3), out: a });
const weight = packTernary(
  [
    { rows: 2, columns: 3, codes: Int8Array.of(1, 0, -1, 0, 1, 1) },
    { rows: 1, columns: 3, codes: Int8Array.of(1, 1, 1) },
  ],
  3,
);
const scales = Float32Array.of(0.5, 4);

describe('matmulTernaryReference', () => {
  it('multiplies codes and scales the sums, each part by its own', () => {
    const out = new Float32Array(3);
    matmulTernaryReference(problem, { a, weight, scales, out });
    expect([...out]).toEqual([62, -8.5, 440]);
  });

  it('divides by the scale where the linear class does', () => {
    const out = new Float32Array(3);
    matmulTernaryReference({ ...problem, scaling: 'divide' }, { a, weight, scales, out });
    expect([...out]).toEqual([248, -34, 27.5]);
  });

  it('adds bias and residual behind the scale, or scales the bias too, and fills only its columns', () => {
    const chunk = { ...problem, columnOffset: 1, numColumns: 5, hasBias: true, hasResidual: true };
    const bias = Float32Array.of(NaN, 10, 20, 30, NaN);
    const residual = Float32Array.of(NaN, 100, 200, 300, NaN);
    const out = new Float32Array(5).fill(9);
    matmulTernaryReference(chunk, { a, weight, scales, bias, residual, out });
    expect([...out]).toEqual([9, 172, 211.5, 770, 9]);
    matmulTernaryReference({ ...chunk, scalesBias: true }, { a, weight, scales, bias, residual, out });
    expect([...out]).toEqual([9, 167, 201.5, 860, 9]);
  });
});

describe('matmulTernaryVariants', () => {
  it.each([
    [{ m: 4 }, ['packed_4x8_integer_dot_product'], 'matvec_dot4_ternary_i8'],
    [{ m: 4 }, [], 'matvec_ternary_i8'],
    [{ m: 5 }, ['packed_4x8_integer_dot_product'], 'matmul_tile2x4_dot4_ternary_i8'],
    [{ m: 5 }, [], 'matmul_tile2x4_ternary_i8'],
  ])('computes %j with features %j by %s', (sizes, features, id) => {
    const choice = matmulTernaryVariants.find(
      (variant) =>
        variant.requires.every((feature) => features.includes(feature)) &&
        variant.fits({ ...problem, ...sizes }, defaultCaps),
    );
    expect(choice?.id).toBe(id);
  });
});
