import type { Tolerance } from '../op.ts';

/**
 * What is wrong with an output, or undefined if it is within the tolerance of the expected one. The relative part is of the largest
 * finite expected magnitude; NaN and infinities must stand at the same places.
 */
export function difference(
  found: Float32Array,
  expected: Float32Array,
  tolerance: Tolerance,
): string | undefined {
  if (found.length !== expected.length) return `expected ${expected.length} elements, found ${found.length}`;
  let largest = 0;
  for (const value of expected) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  const allowed = tolerance.absolute + tolerance.relative * largest;
  const isClose = (a: number, b: number): boolean => Object.is(a, b) || a === b || Math.abs(a - b) <= allowed;
  const wrong = expected.findIndex((value, i) => !isClose(found[i] as number, value));
  if (wrong < 0) return undefined;
  return `element ${wrong}: expected ${expected[wrong] as number} within ${allowed}, found ${found[wrong] as number}`;
}

/** Where two outputs first differ in their bits, or undefined. */
export function bitDifference(found: Float32Array, expected: Float32Array): string | undefined {
  const [a, b] = [bits(found), bits(expected)];
  if (a.length !== b.length) return `expected ${b.length} elements, found ${a.length}`;
  const wrong = b.findIndex((value, i) => a[i] !== value);
  if (wrong < 0) return undefined;
  return `element ${wrong}: expected ${expected[wrong] as number}, found ${found[wrong] as number}`;
}

function bits(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
