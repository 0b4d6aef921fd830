import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import { inverseRoot, laneSum, quotient } from '../portable.ts';
import { quantizeActivationsReference } from '../quantize_activations/reference.ts';
import type { RmsNormQuantizeProblem } from './contract.ts';

/** Normalises each row in f32 and quantises, with the device's bits. */
export function rmsNormQuantizeReference(
  { rows, k, epsilon }: RmsNormQuantizeProblem,
  operands: OperandArrays,
): void {
  const f32 = Math.fround;
  const x = floatOperand(operands, 'x', rows * k);
  const weight = floatOperand(operands, 'weight', k);
  const normed = new Float32Array(rows * k);
  const perElement = quotient(1, k);
  for (let row = 0; row < rows; row++) {
    const values = x.subarray(row * k, (row + 1) * k);
    const squares = laneSum(k, (i) => f32(at(values, i) * at(values, i)));
    const norm = inverseRoot(f32(f32(squares * perElement) + f32(epsilon)));
    for (let i = 0; i < k; i++) normed[row * k + i] = f32(at(values, i) * norm) * at(weight, i);
  }
  quantizeActivationsReference({ rows, k }, { ...operands, x: normed });
}
