import type { OperandArrays } from '../op.ts';
import { floatOperand, indexAt, indexOperand } from '../operands.ts';
import type { EmbeddingProblem } from './contract.ts';

/** Copies the table row of each id that lies in the chunk. */
export function embeddingReference(problem: EmbeddingProblem, operands: OperandArrays): void {
  const { numTokens, hidden, firstRow, numRows } = problem;
  const table = floatOperand(operands, 'table', numRows * hidden);
  const ids = indexOperand(operands, 'ids', numTokens);
  const out = floatOperand(operands, 'out', numTokens * hidden);
  for (let token = 0; token < numTokens; token++) {
    const row = indexAt(ids, token) - firstRow;
    if (row < 0 || row >= numRows) continue;
    out.set(table.subarray(row * hidden, (row + 1) * hidden), token * hidden);
  }
}
