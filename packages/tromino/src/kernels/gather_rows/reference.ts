import type { OperandArrays } from '../op.ts';
import { floatOperand, indexAt, indexOperand } from '../operands.ts';
import type { GatherRowsProblem } from './contract.ts';

/** Copies the chosen rows. */
export function gatherRowsReference(problem: GatherRowsProblem, operands: OperandArrays): void {
  const { numRows, width, sourceRows } = problem;
  const x = floatOperand(operands, 'x', sourceRows * width);
  const rows = indexOperand(operands, 'rows', numRows);
  const out = floatOperand(operands, 'out', numRows * width);
  for (let row = 0; row < numRows; row++) {
    const from = indexAt(rows, row) * width;
    out.set(x.subarray(from, from + width), row * width);
  }
}
