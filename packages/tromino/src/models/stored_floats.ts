import type { StoredTensor } from '../graph/graph.ts';
import { decodeToF32 } from '../tensor/decode.ts';
import { elementCount } from '../tensor/shape.ts';

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
