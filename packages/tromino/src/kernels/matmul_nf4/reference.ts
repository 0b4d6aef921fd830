import { dot } from '../matmul/reference.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { hasScalesByRow, nf4Scales, nf4Words, type MatmulNf4Problem } from './contract.ts';

/** A matrix in NF4 as the kernels have it. */
export interface PackedNf4 {
  readonly codes: Uint32Array;
  readonly scales: Float32Array;
  readonly map: Float32Array;
  readonly rows: number;
  readonly columns: number;
  readonly blockSize: number;
  readonly hasScalesByRow: boolean;
}

/** One weight, rounded to f32. */
export function nf4WeightAt(matrix: PackedNf4, row: number, column: number): number {
  const { codes, scales, map, rows, columns, blockSize } = matrix;
  const code = (indexAt(codes, (column >> 3) * rows + row) >>> (4 * (column % 8))) & 15;
  const block = matrix.hasScalesByRow
    ? Math.floor(column / blockSize) * rows + row
    : Math.floor((row * columns + column) / blockSize);
  return Math.fround(at(map, code) * at(scales, block));
}

/** Computes each row of the weight once, rounded to f32, then multiplies with one f64 accumulator per output. */
export function matmulNf4Reference(problem: MatmulNf4Problem, operands: OperandArrays): void {
  const { m, n, k, columnOffset, numColumns, hasBias, hasResidual, blockSize } = problem;
  const a = floatOperand(operands, 'a', m * k);
  const matrix: PackedNf4 = {
    codes: indexOperand(operands, 'codes', nf4Words(n, k)),
    scales: floatOperand(operands, 'scales', nf4Scales(n, k, blockSize)),
    map: floatOperand(operands, 'quant_map', 16),
    rows: n,
    columns: k,
    blockSize,
    hasScalesByRow: hasScalesByRow(k, blockSize),
  };
  const bias = hasBias ? floatOperand(operands, 'bias', numColumns) : undefined;
  const residual = hasResidual ? floatOperand(operands, 'residual', m * numColumns) : undefined;
  const out = floatOperand(operands, 'out', m * numColumns);
  const weightRow = new Float32Array(k);
  for (let column = 0; column < n; column++) {
    for (let i = 0; i < k; i++) weightRow[i] = nf4WeightAt(matrix, column, i);
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
