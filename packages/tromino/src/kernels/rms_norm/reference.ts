import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { RmsNormProblem } from './contract.ts';

/** Normalises each row, with the sum of squares in f64. */
export function rmsNormReference(problem: RmsNormProblem, operands: OperandArrays): void {
  const { rows, hidden, epsilon } = problem;
  const x = floatOperand(operands, 'x', rows * hidden);
  const weight = floatOperand(operands, 'weight', hidden);
  const out = floatOperand(operands, 'out', rows * hidden);
  for (let row = 0; row < rows; row++) {
    const values = x.subarray(row * hidden, (row + 1) * hidden);
    const scale = inverseRootMeanSquare(values, epsilon);
    for (let i = 0; i < hidden; i++) out[row * hidden + i] = at(values, i) * scale * at(weight, i);
  }
}

/** `1 / sqrt(mean(x²) + epsilon)`, in f64. Where the sum of squares leaves the f32 range it is infinite, as it is on the device. */
export function inverseRootMeanSquare(values: Float32Array, epsilon: number): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  const rangedSum = Number.isFinite(Math.fround(sum)) ? sum : Infinity;
  return 1 / Math.sqrt(rangedSum / values.length + epsilon);
}
