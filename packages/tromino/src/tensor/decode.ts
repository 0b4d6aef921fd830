import { ShapeError, UnsupportedError } from '../util/errors.ts';
import { decodeBfloat16Array } from './bfloat16.ts';
import { elementSizeBytes } from './dtype.ts';
import type { StoredDType } from './dtype.ts';
import { decodeFloat16Array } from './float16.ts';

/** Types whose stored elements are numbers that become f32 weights. */
export const floatDTypes: readonly StoredDType[] = ['f32', 'f16', 'bf16', 'f64'];

/** Whether stored elements of this type are numbers that become f32 weights. */
export function isFloat(dtype: StoredDType): boolean {
  return floatDTypes.includes(dtype);
}

/**
 * Decodes stored floats, little-endian and at any alignment, into `target` from element `targetOffset` on.
 *
 * **Numerics** exact for f32, f16 and bf16; f64 is rounded to the nearest f32.
 *
 * @param tensor name for messages
 * @throws UnsupportedError for a dtype that holds no floats.
 * @throws ShapeError when the bytes are not whole elements or the target is too short.
 */
export function decodeToF32(
  tensor: string,
  dtype: StoredDType,
  bytes: Uint8Array,
  target: Float32Array,
  targetOffset = 0,
): void {
  if (!isFloat(dtype))
    throw new UnsupportedError(`tensor ${tensor}`, `${dtype} values cannot be read as f32`);
  const count = bytes.length / elementSizeBytes(dtype);
  if (!Number.isInteger(count))
    throw new ShapeError(`tensor ${tensor}`, `whole ${dtype} elements`, `${bytes.length} bytes`);
  if (targetOffset + count > target.length) {
    const found = `${target.length - targetOffset} from element ${targetOffset}`;
    throw new ShapeError(`tensor ${tensor}`, `room for ${count} elements`, found);
  }
  if (dtype === 'f16') decodeFloat16Array(bytes, target, targetOffset);
  else if (dtype === 'bf16') decodeBfloat16Array(bytes, target, targetOffset);
  else if (dtype === 'f32') copyFloat32(bytes, target, targetOffset);
  else roundFloat64(bytes, target, targetOffset);
}

/** Copies bytes, not values, so that a signalling NaN keeps its bits. Every platform with a GPU API is little-endian. */
function copyFloat32(bytes: Uint8Array, target: Float32Array, targetOffset: number): void {
  new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes, 4 * targetOffset);
}

function roundFloat64(bytes: Uint8Array, target: Float32Array, targetOffset: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < bytes.length / 8; i++) target[targetOffset + i] = view.getFloat64(8 * i, true);
}
