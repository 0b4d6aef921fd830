import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { tokenFields } from '../tokens.ts';
import type { MeanPoolProblem } from './contract.ts';

/** Averages each row's tokens, in f64. */
export function meanPoolReference(problem: MeanPoolProblem, operands: OperandArrays): void {
  const { numTokens, numRows, width } = problem;
  const x = floatOperand(operands, 'x', numTokens * width);
  const tokens = indexOperand(operands, 'tokens', numTokens * tokenFields.count);
  const rows = indexOperand(operands, 'rows', numRows);
  const out = floatOperand(operands, 'out', numRows * width);
  for (let row = 0; row < numRows; row++) {
    const entry = indexAt(rows, row) * tokenFields.count;
    const start = indexAt(tokens, entry + tokenFields.rowStart);
    const end = indexAt(tokens, entry + tokenFields.rowEnd);
    for (let column = 0; column < width; column++) {
      let sum = 0;
      for (let token = start; token < end; token++) sum += at(x, token * width + column);
      out[row * width + column] = sum / (end - start);
    }
  }
}
