import { TrominoError } from './errors.ts';

/** States what must hold if our own code is right. A failure is a bug of ours, so the text speaks to developers. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new TrominoError(`internal: ${message}`);
}

/** Unwraps a value that must be there if our own code is right. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === undefined || value === null) throw new TrominoError(`internal: ${what} is missing`);
  return value;
}

/** Compile-time proof that a union was handled whole. */
export function unreachable(value: never): never {
  throw new TrominoError(`internal: unexpected ${JSON.stringify(value)}`);
}
