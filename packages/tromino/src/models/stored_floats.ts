import type { StoredTensor } from '../graph/graph.ts';
import { decodeToF32 } from '../tensor/decode.ts';
import { elementCount } from '../tensor/shape.ts';
import { FormatError } from '../util/errors.ts';

/**
 * A stored tensor's elements as f32.
 * @throws UnsupportedError for a dtype that holds no floats.
 * @throws ShapeError where the bytes are not whole elements, or more than the shape has.
 */
export function storedFloats({ name, dtype, shape, bytes }: StoredTensor): Float32Array {
  const values = new Float32Array(elementCount(shape));
  decodeToF32(name, dtype, bytes, values);
  return values;
}

/**
 * As {@link storedFloats}, of a tensor that scales others: one number that is none would spoil a whole block, or all.
 * @throws FormatError for the first element that is no finite number.
 */
export function storedScales(stored: StoredTensor): Float32Array {
  return requireFinite(stored.name, storedFloats(stored));
}

/** @throws FormatError naming the tensor that the values come of, for the first that is no finite number. */
export function requireFinite(tensor: string, values: Float32Array): Float32Array {
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return values;
  throw new FormatError(`tensor ${tensor}`, `element ${wrong}: expected a finite number, found ${values[wrong] as number}`);
}
