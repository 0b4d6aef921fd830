import { describe, expect, it } from 'vitest';
import { decodeBfloat16, decodeBfloat16Array, encodeBfloat16 } from './bfloat16.ts';

describe('bfloat16', () => {
  it.each([
    [0x3f80, 1],
    [0xc049, -3.140625],
    [0x7f7f, 3.3895313892515355e38],
    [0x0001, 2 ** -133],
    [0x7f80, Infinity],
    [0xff80, -Infinity],
    [0x7fc0, NaN],
  ])('decodes %i as %f', (half, expected) => {
    expect(decodeBfloat16(half)).toBe(expected);
    const target = new Float32Array(3);
    decodeBfloat16Array(new Uint8Array([9, half & 0xff, half >> 8]).subarray(1), target, 1);
    expect([...target]).toEqual([0, expected, 0]);
  });

  it.each([
    [1 + 2 ** -8, 0x3f80],
    [1 + 3 * 2 ** -8, 0x3f82],
    [1 + 2 ** -8 + 2 ** -20, 0x3f81],
    [-1, 0xbf80],
    [3.4e38, 0x7f80],
    [-0, 0x8000],
  ])('encodes %f with ties to even as %i', (value, expected) => {
    expect(encodeBfloat16(value)).toBe(expected);
  });

  it('keeps a NaN a NaN, even one whose payload lies in the lower half', () => {
    const payload = new Float32Array(Uint32Array.of(0x7f800001).buffer)[0] ?? 0;
    expect(decodeBfloat16(encodeBfloat16(NaN))).toBeNaN();
    expect(decodeBfloat16(encodeBfloat16(payload))).toBeNaN();
  });
});
