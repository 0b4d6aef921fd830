import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import { inverseRootMeanSquare } from '../rms_norm/reference.ts';
import type { HeadRmsNormProblem } from './contract.ts';

/** Normalises each query head with `q_weight` and each key head with `k_weight`, with the sum of squares in f64. */
export function headRmsNormReference(problem: HeadRmsNormProblem, operands: OperandArrays): void {
  const { numTokens, rowStride, numQueryHeads, numKeyHeads, headDim, epsilon } = problem;
  const numHeads = numQueryHeads + numKeyHeads;
  const qkv = floatOperand(operands, 'qkv', numTokens * rowStride);
  const queryWeight = floatOperand(operands, 'q_weight', headDim);
  const keyWeight = floatOperand(operands, 'k_weight', headDim);
  const out = floatOperand(operands, 'out', numTokens * numHeads * headDim);
  for (let token = 0; token < numTokens; token++) {
    for (let head = 0; head < numHeads; head++) {
      const from = token * rowStride + head * headDim;
      const to = (token * numHeads + head) * headDim;
      const values = qkv.subarray(from, from + headDim);
      const weight = head < numQueryHeads ? queryWeight : keyWeight;
      const scale = inverseRootMeanSquare(values, epsilon);
      for (let i = 0; i < headDim; i++) out[to + i] = at(values, i) * scale * at(weight, i);
    }
  }
}
