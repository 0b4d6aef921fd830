import type { OperandArrays } from '../op.ts';
import { quantizeActivationsReference } from '../quantize_activations/reference.ts';
import { rmsNormReference } from '../rms_norm/reference.ts';
import type { RmsNormQuantizeProblem } from './contract.ts';

/** Normalises each row with the sum of squares in f64, rounds to f32, then quantises. */
export function rmsNormQuantizeReference(
  { rows, k, epsilon }: RmsNormQuantizeProblem,
  operands: OperandArrays,
): void {
  const normed = new Float32Array(rows * k);
  rmsNormReference({ rows, hidden: k, epsilon }, { ...operands, out: normed });
  quantizeActivationsReference({ rows, k }, { ...operands, x: normed });
}
