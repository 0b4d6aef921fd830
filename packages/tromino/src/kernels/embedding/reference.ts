import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import type { EmbeddingProblem } from './contract.ts';

/** Scales the table row of each id that lies in the chunk. */
export function embeddingReference(problem: EmbeddingProblem, operands: OperandArrays): void {
  const { numTokens, hidden, firstRow, numRows, scale } = problem;
  const table = floatOperand(operands, 'table', numRows * hidden);
  const ids = indexOperand(operands, 'ids', numTokens);
  const out = floatOperand(operands, 'out', numTokens * hidden);
  for (let token = 0; token < numTokens; token++) {
    const row = indexAt(ids, token) - firstRow;
    if (row < 0 || row >= numRows) continue;
    for (let i = 0; i < hidden; i++) out[token * hidden + i] = scale * at(table, row * hidden + i);
  }
}
