import { describe, expect, it } from 'vitest';
import { decodeFloat16, decodeFloat16Array, encodeFloat16 } from './float16.ts';

/** The definition of binary16, in arithmetic instead of bits. */
function valueOf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const allHalves = Array.from({ length: 1 << 16 }, (_, half) => half);

describe('float16', () => {
  it('decodes every value exactly, one by one and as an array at an odd address', () => {
    const expected = allHalves.map(valueOf);
    expect(allHalves.map(decodeFloat16)).toEqual(expected);
    const bytes = new Uint8Array(1 + 2 * allHalves.length).subarray(1);
    allHalves.forEach((half, i) => {
      bytes.set([half & 0xff, half >> 8], 2 * i);
    });
    const target = new Float32Array(allHalves.length + 3);
    decodeFloat16Array(bytes, target, 2);
    expect([...target.subarray(2, -1)]).toEqual(expected);
    expect([target[0], target[1], target.at(-1)]).toEqual([0, 0, 0]);
  });

  it('decodes -0 as -0', () => {
    expect(Object.is(decodeFloat16(0x8000), -0)).toBe(true);
  });

  it('encodes every decoded value back to its bits', () => {
    const numbers = allHalves.filter((half) => !Number.isNaN(valueOf(half)));
    expect(numbers.map((half) => encodeFloat16(decodeFloat16(half)))).toEqual(numbers);
    expect(Number.isNaN(decodeFloat16(encodeFloat16(NaN)))).toBe(true);
  });

  it.each([
    [2049, 2048],
    [2051, 2052],
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
    [65504, 65504],
    [65519.9, 65504],
    [65520, Infinity],
    [-1e9, -Infinity],
    [2 ** -25, 0],
    [1.001 * 2 ** -25, 2 ** -24],
    [-3 * 2 ** -25, -(2 ** -23)],
    [2 ** -14 - 2 ** -26, 2 ** -14],
  ])('rounds %f to the nearest, ties to even: %f', (value, expected) => {
    expect(decodeFloat16(encodeFloat16(value))).toBe(expected);
  });
});
