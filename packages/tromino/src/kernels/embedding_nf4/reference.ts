import { hasScalesByRow, nf4Scales, nf4Words } from '../matmul_nf4/contract.ts';
import { nf4WeightAt } from '../matmul_nf4/reference.ts';
import type { OperandArrays } from '../op.ts';
import { floatOperand, indexAt, indexOperand } from '../operands.ts';
import type { EmbeddingNf4Problem } from './contract.ts';

/** Computes the weights of each id that lies in the chunk, rounded to f32, and scales them. */
export function embeddingNf4Reference(problem: EmbeddingNf4Problem, operands: OperandArrays): void {
  const { numTokens, hidden, firstRow, numRows, scale, blockSize } = problem;
  const matrix = {
    codes: indexOperand(operands, 'codes', nf4Words(numRows, hidden)),
    scales: floatOperand(operands, 'scales', nf4Scales(numRows, hidden, blockSize)),
    map: floatOperand(operands, 'quant_map', 16),
    rows: numRows,
    columns: hidden,
    blockSize,
    hasScalesByRow: hasScalesByRow(hidden, blockSize),
  };
  const ids = indexOperand(operands, 'ids', numTokens);
  const out = floatOperand(operands, 'out', numTokens * hidden);
  for (let token = 0; token < numTokens; token++) {
    const row = indexAt(ids, token) - firstRow;
    if (row < 0 || row >= numRows) continue;
    for (let i = 0; i < hidden; i++) out[token * hidden + i] = scale * nf4WeightAt(matrix, row, i);
  }
}
