/**
 * bfloat16: the upper half of an f32, so decoding is exact and cannot fail.
 */

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Decodes one bf16. */
export function decodeBfloat16(half: number): number {
  bits[0] = half << 16;
  return float[0] ?? 0;
}

/** Encodes the nearest bf16, ties to even. The value is taken as an f32 first. */
export function encodeBfloat16(value: number): number {
  float[0] = value;
  const source = bits[0] ?? 0;
  // A NaN must not round to an infinity: its payload may be in the lower half alone.
  if ((source & 0x7fffffff) > 0x7f800000) return (source >>> 16) | 0x40;
  return (source + 0x7fff + ((source >>> 16) & 1)) >>> 16;
}

/** The nearest value that a bf16 holds, ties to even. */
export function roundToBfloat16(value: number): number {
  return decodeBfloat16(encodeBfloat16(value));
}

/** Decodes little-endian bf16 bytes, at any alignment, into `target` from `targetOffset` on. */
export function decodeBfloat16Array(bytes: Uint8Array, target: Float32Array, targetOffset: number): void {
  const count = bytes.length >> 1;
  const words = new Uint32Array(target.buffer, target.byteOffset + 4 * targetOffset, count);
  for (let i = 0; i < count; i++) {
    words[i] = ((bytes[2 * i] ?? 0) << 16) | ((bytes[2 * i + 1] ?? 0) << 24);
  }
}
