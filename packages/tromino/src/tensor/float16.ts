/**
 * IEEE 754 binary16, decoded exactly and encoded with round to nearest, ties to even.
 *
 * **Source** IEEE 754-2019, 3.6 (binary16: 1 sign, 5 exponent, 10 fraction bits).
 */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
let decodeTable: Uint32Array | undefined;

/** The f32 bits of every f16 value: 256 KiB, built when the first array is decoded. */
function table(): Uint32Array {
  decodeTable ??= Uint32Array.from({ length: 1 << 16 }, (_, half) => float32Bits(half));
  return decodeTable;
}

/** The f32 with the value of an f16: every f16 is one. A NaN keeps its sign and payload. */
function float32Bits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  float[0] = fraction * 2 ** -24; // subnormal or zero: exact in f32
  return sign | (bits[0] ?? 0);
}

/** Decodes one f16. */
export function decodeFloat16(half: number): number {
  bits[0] = float32Bits(half);
  return float[0] ?? 0;
}

/** Encodes the nearest f16, ties to even; from 65,520 on that is an infinity. The value is taken as an f32 first. */
export function encodeFloat16(value: number): number {
  float[0] = value;
  const source = bits[0] ?? 0;
  const sign = (source >>> 16) & 0x8000;
  const magnitude = source & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Below the smallest normal f16, adding 0.5 lets the f32 adder itself round to a multiple of 2^-24.
  if (magnitude < 0x38800000) {
    float[0] = Math.abs(float[0]) + 0.5;
    return sign | ((bits[0] ?? 0) - 0x3f000000);
  }
  const toEven = 0xfff + ((magnitude >> 13) & 1);
  return sign | ((magnitude - 0x38000000 + toEven) >> 13);
}

/** The nearest value that an f16 holds, ties to even. */
export function roundToFloat16(value: number): number {
  return decodeFloat16(encodeFloat16(value));
}

/** Decodes little-endian f16 bytes, at any alignment, into `target` from `targetOffset` on. A pass over a table, some 1 ns a value. */
export function decodeFloat16Array(bytes: Uint8Array, target: Float32Array, targetOffset: number): void {
  const decoded = table();
  const count = bytes.length >> 1;
  const words = new Uint32Array(target.buffer, target.byteOffset + 4 * targetOffset, count);
  for (let i = 0; i < count; i++) {
    words[i] = decoded[(bytes[2 * i] ?? 0) | ((bytes[2 * i + 1] ?? 0) << 8)] ?? 0;
  }
}
