import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { tokenFields } from '../tokens.ts';
import type { RopeProblem } from './contract.ts';

/** Rotates each head by its token's position; each product and sum rounded to f32: the device's bits. */
export function ropeReference(problem: RopeProblem, operands: OperandArrays): void {
  const { numTokens, rowStride, numHeads, headDim, rotaryDim, numPositions } = problem;
  const x = floatOperand(operands, 'x', numTokens * rowStride);
  const table = floatOperand(operands, 'table', numPositions * rotaryDim);
  const tokens = indexOperand(operands, 'tokens', numTokens * tokenFields.count);
  const out = floatOperand(operands, 'out', numTokens * numHeads * headDim);
  const f32 = Math.fround;
  const half = rotaryDim / 2;
  for (let token = 0; token < numTokens; token++) {
    const angles = indexAt(tokens, token * tokenFields.count + tokenFields.position) * rotaryDim;
    for (let head = 0; head < numHeads; head++) {
      const from = token * rowStride + head * headDim;
      const to = (token * numHeads + head) * headDim;
      for (let i = 0; i < half; i++) {
        const [lower, upper] = [at(x, from + i), at(x, from + i + half)];
        const [cos, sin] = [at(table, angles + 2 * i), at(table, angles + 2 * i + 1)];
        out[to + i] = f32(lower * cos) - f32(upper * sin);
        out[to + i + half] = f32(upper * cos) + f32(lower * sin);
      }
      out.set(x.subarray(from + rotaryDim, from + headDim), to + rotaryDim);
    }
  }
}
