import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { LayerNormProblem } from './contract.ts';

/** Normalises each row, with both sums in f64. */
export function layerNormReference(problem: LayerNormProblem, operands: OperandArrays): void {
  const { rows, hidden, epsilon, hasBias } = problem;
  const x = floatOperand(operands, 'x', rows * hidden);
  const weight = floatOperand(operands, 'weight', hidden);
  const bias = hasBias ? floatOperand(operands, 'bias', hidden) : undefined;
  const out = floatOperand(operands, 'out', rows * hidden);
  for (let row = 0; row < rows; row++) {
    const values = x.subarray(row * hidden, (row + 1) * hidden);
    const mean = meanOf(values, (value) => value);
    const scale = 1 / Math.sqrt(meanOf(values, (value) => (value - mean) ** 2) + epsilon);
    for (let i = 0; i < hidden; i++) {
      out[row * hidden + i] = (at(values, i) - mean) * scale * at(weight, i) + (bias ? at(bias, i) : 0);
    }
  }
}

function meanOf(values: Float32Array, term: (value: number) => number): number {
  let sum = 0;
  for (const value of values) sum += term(value);
  return sum / values.length;
}
