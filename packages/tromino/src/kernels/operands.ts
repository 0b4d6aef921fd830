import { ShapeError } from '../util/errors.ts';
import type { OperandArrays } from './op.ts';

/**
 * The f32 operand `name`, with at least `length` elements (buffers may be longer than a problem needs).
 * @throws ShapeError where it is missing, of another dtype or too short.
 */
export function floatOperand(operands: OperandArrays, name: string, length: number): Float32Array {
  const values = operands[name];
  if (values instanceof Float32Array && values.length >= length) return values;
  throw new ShapeError(`operand ${name}`, `f32[${length}]`, describe(values));
}

/**
 * The u32 operand `name`, with at least `length` elements.
 * @throws ShapeError where it is missing, of another dtype or too short.
 */
export function indexOperand(operands: OperandArrays, name: string, length: number): Uint32Array {
  const values = operands[name];
  if (values instanceof Uint32Array && values.length >= length) return values;
  throw new ShapeError(`operand ${name}`, `u32[${length}]`, describe(values));
}

/** An element that the caller knows to be there: the operand's length has been checked. */
export function at(values: Float32Array | Float64Array, index: number): number {
  return values[index] as number;
}

/** As `at`, for indices. */
export function indexAt(values: Uint32Array, index: number): number {
  return values[index] as number;
}

function describe(values: Float32Array | Uint32Array | undefined): string {
  if (!values) return 'nothing';
  return `${values instanceof Float32Array ? 'f32' : 'u32'}[${values.length}]`;
}
