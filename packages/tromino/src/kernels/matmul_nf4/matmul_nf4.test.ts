import { describe, expect, it } from 'vitest';
import { dequantizeNf4, nf4Map, quantizeNf4 } from '../../tensor/nf4.ts';
import { defaultCaps } from '../caps.ts';
import { matmulReference } from '../matmul/reference.ts';
import { Random } from '../testing/random.ts';
import type { MatmulNf4Problem } from './contract.ts';
import { packNf4Codes, packNf4Scales } from './pack.ts';
import { matmulNf4Reference } from './reference.ts';
import { matmulNf4Variants } from './variants.ts';

const problem: MatmulNf4Problem = {
  m: 2,
  n: 3,
  k: 10,
  columnOffset: 0,
  numColumns: 3,
  hasBias: false,
  hasResidual: false,
  blockSize: 32,
};

describe('packNf4Codes', () => {
  it('lays words of neighbouring rows side by side, the first code lowest', () => {
    const target = new Uint32Array(2 * 2);
    packNf4Codes(
      target,
      Uint8Array.of(0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef),
      { first: 1, count: 1, total: 2 },
      16,
    );
    expect([...target]).toEqual([0, 0x76543210, 0, 0xfedcba98]);
  });

  it('takes rows that begin in the middle of a byte', () => {
    const target = new Uint32Array(2);
    packNf4Codes(target, Uint8Array.of(0x12, 0x34, 0x56), { first: 0, count: 2, total: 2 }, 3);
    expect([...target]).toEqual([0x321, 0x654]);
  });

  it('refuses too few bytes', () => {
    expect(() => {
      packNf4Codes(new Uint32Array(2), new Uint8Array(7), { first: 0, count: 2, total: 2 }, 8);
    }).toThrow('NF4 codes: expected 8, found 7');
  });
});

describe('packNf4Scales', () => {
  it('lays blocks out as the codes where rows are whole blocks', () => {
    const target = new Float32Array(6);
    packNf4Scales(target, Float32Array.of(1, 2, 3, 4), { first: 1, count: 2, total: 3 }, 64, 32);
    expect([...target]).toEqual([0, 1, 3, 0, 2, 4]);
  });

  it('keeps the order of the blocks where they belong to two rows', () => {
    const target = new Float32Array(6);
    packNf4Scales(target, Float32Array.of(1, 2, 3), { first: 2, count: 2, total: 4 }, 48, 32);
    expect([...target]).toEqual([0, 0, 0, 1, 2, 3]);
  });
});

describe('matmulNf4Reference', () => {
  it.each([
    [10, 32],
    [64, 64],
    [96, 64],
    [333, 128],
  ])('equals matmul with the dequantised weights at K = %i in blocks of %i', (k, blockSize) => {
    const [m, n] = [2, 3];
    const random = new Random(k);
    const a = random.floats(m * k);
    const { codes, scales } = quantizeNf4(random.floats(n * k), blockSize);
    const stack = { first: 0, count: n, total: n };
    const packedCodes = new Uint32Array(n * Math.ceil(k / 8));
    packNf4Codes(packedCodes, codes, stack, k);
    const packedScales = new Float32Array(scales.length);
    packNf4Scales(packedScales, scales, stack, k, blockSize);
    const expected = new Float32Array(m * n);
    const weight = dequantizeNf4({ codes, scales }, n * k, blockSize);
    matmulReference({ ...problem, m, n, k, weightDtype: 'f32' }, { a, weight, out: expected });
    const found = new Float32Array(m * n);
    matmulNf4Reference(
      { ...problem, m, n, k, blockSize },
      { a, codes: packedCodes, scales: packedScales, quant_map: Float32Array.from(nf4Map), out: found },
    );
    expect([...found]).toEqual([...expected]);
  });

  it('adds bias and residual, and fills only its own columns', () => {
    const out = new Float32Array(4).fill(9);
    matmulNf4Reference(
      { ...problem, m: 1, n: 2, k: 2, columnOffset: 1, numColumns: 4, hasBias: true, hasResidual: true },
      {
        a: Float32Array.of(1, 10),
        codes: Uint32Array.of(0x7f, 0x0f),
        scales: Float32Array.of(2),
        quant_map: Float32Array.from(nf4Map),
        bias: Float32Array.of(NaN, 100, 200, NaN),
        residual: Float32Array.of(NaN, 1000, 2000, NaN),
        out,
      },
    );
    expect([...out]).toEqual([9, 1102, 2182, 9]);
  });
});

describe('matmulNf4Variants', () => {
  it.each([
    [{ m: 1, n: 8, k: 64 }, 'matvec_nf4_f32'],
    [{ m: 4, n: 8, k: 60 }, 'matmul_tile16_nf4_f32'],
    [{ m: 346, n: 576, k: 576 }, 'matmul_tile2x4_nf4_f32'],
    [{ m: 346, n: 3072, k: 576 }, 'matmul_tile4x4_nf4_f32'],
    [{ m: 5, n: 8, k: 333 }, 'matmul_tile16_nf4_f32'],
  ])('computes %j by %s unless told otherwise', (sizes, id) => {
    expect(matmulNf4Variants.find((variant) => variant.fits({ ...problem, ...sizes }, defaultCaps))?.id).toBe(
      id,
    );
  });
});
