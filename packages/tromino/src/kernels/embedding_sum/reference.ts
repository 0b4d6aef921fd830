import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import type { EmbeddingSumProblem } from './contract.ts';

/** Adds the rows of each token whose id lies in the chunk, in f64. */
export function embeddingSumReference(problem: EmbeddingSumProblem, operands: OperandArrays): void {
  const { numTokens, hidden, firstRow, numRows, numTypes, tablePositions } = problem;
  const table = floatOperand(operands, 'table', numRows * hidden);
  const ids = indexOperand(operands, 'ids', numTokens);
  const out = floatOperand(operands, 'out', numTokens * hidden);
  const typeRow = rowReader(operands, 'type_table', 'types', numTypes, problem);
  const positionRow = rowReader(operands, 'position_table', 'positions', tablePositions, problem);
  for (let token = 0; token < numTokens; token++) {
    const row = indexAt(ids, token) - firstRow;
    if (row < 0 || row >= numRows) continue;
    for (let i = 0; i < hidden; i++) {
      out[token * hidden + i] = at(table, row * hidden + i) + typeRow(token, i) + positionRow(token, i);
    }
  }
}

/** Element i of the row that a token has in a table; zero where there is no table. */
function rowReader(
  operands: OperandArrays,
  tableName: string,
  indicesName: string,
  height: number,
  { numTokens, hidden }: EmbeddingSumProblem,
): (token: number, i: number) => number {
  if (height === 0) return () => 0;
  const table = floatOperand(operands, tableName, height * hidden);
  const indices = indexOperand(operands, indicesName, numTokens);
  return (token, i) => at(table, indexAt(indices, token) * hidden + i);
}
