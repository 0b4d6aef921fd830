import { dot } from '../matmul/reference.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { hasScalesByRow, nf4Scales, nf4Words, type MatmulNf4Problem } from './contract.ts';

/** Computes each row of the weight once, rounded to f32, then multiplies with one f64 accumulator per output. */
export function matmulNf4Reference(problem: MatmulNf4Problem, operands: OperandArrays): void {
  const { m, n, k, columnOffset, numColumns, hasBias, hasResidual, blockSize } = problem;
  const a = floatOperand(operands, 'a', m * k);
  const codes = indexOperand(operands, 'codes', nf4Words(n, k));
  const scales = floatOperand(operands, 'scales', nf4Scales(n, k, blockSize));
  const map = floatOperand(operands, 'quant_map', 16);
  const bias = hasBias ? floatOperand(operands, 'bias', numColumns) : undefined;
  const residual = hasResidual ? floatOperand(operands, 'residual', m * numColumns) : undefined;
  const out = floatOperand(operands, 'out', m * numColumns);
  const byRow = hasScalesByRow(k, blockSize);
  const weightRow = new Float32Array(k);
  for (let column = 0; column < n; column++) {
    for (let i = 0; i < k; i++) {
      const code = (indexAt(codes, (i >> 3) * n + column) >>> (4 * (i % 8))) & 15;
      const block = byRow ? Math.floor(i / blockSize) * n + column : Math.floor((column * k + i) / blockSize);
      weightRow[i] = at(map, code) * at(scales, block);
    }
    const outColumn = columnOffset + column;
    for (let row = 0; row < m; row++) {
      const outIndex = row * numColumns + outColumn;
      let sum = dot(a, row * k, weightRow, 0, k);
      if (bias) sum += at(bias, outColumn);
      if (residual) sum += at(residual, outIndex);
      out[outIndex] = sum;
    }
  }
}
