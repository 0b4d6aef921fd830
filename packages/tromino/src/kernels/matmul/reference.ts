import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { MatmulProblem } from './contract.ts';

/** Multiplies with one f64 accumulator per output. */
export function matmulReference(problem: MatmulProblem, operands: OperandArrays): void {
  const { m, n, k, columnOffset, numColumns, hasBias, hasResidual } = problem;
  const a = floatOperand(operands, 'a', m * k);
  const weight = floatOperand(operands, 'weight', n * k);
  const bias = hasBias ? floatOperand(operands, 'bias', numColumns) : undefined;
  const residual = hasResidual ? floatOperand(operands, 'residual', m * numColumns) : undefined;
  const out = floatOperand(operands, 'out', m * numColumns);
  for (let row = 0; row < m; row++) {
    for (let column = 0; column < n; column++) {
      const outColumn = columnOffset + column;
      const outIndex = row * numColumns + outColumn;
      let sum = dot(a, row * k, weight, column * k, k);
      if (bias) sum += at(bias, outColumn);
      if (residual) sum += at(residual, outIndex);
      out[outIndex] = sum;
    }
  }
}

/** Sum of the products of `length` elements from two offsets, in f64. The inner loop of the CPU backend. */
export function dot(
  a: Float32Array,
  aOffset: number,
  b: Float32Array,
  bOffset: number,
  length: number,
): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (a[aOffset + i] as number) * (b[bOffset + i] as number);
  return sum;
}
