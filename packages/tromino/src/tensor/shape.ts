/** Outermost dimension first, as in a checkpoint. */
export type Shape = readonly number[];

/** Number of elements; 1 for a scalar. */
export function elementCount(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** `[2, 3]`, as messages show it. */
export function formatShape(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

/** Same rank and same sizes. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, axis) => size === b[axis]);
}
