import { packedTernaryCode, ternaryGroups } from '../../tensor/ternary.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexOperand } from '../operands.ts';
import { quotient } from '../portable.ts';
import { quantizedRowWords } from '../quantize_activations/contract.ts';
import { rowCodes, rowFactor } from '../quantize_activations/reference.ts';
import type { MatmulTernaryProblem } from './contract.ts';

/** Multiplies whole numbers exactly, and scales in f32 with the device's bits. */
export function matmulTernaryReference(problem: MatmulTernaryProblem, operands: OperandArrays): void {
  const { m, n, k, columnOffset, numColumns, scaling, hasBias, scalesBias, hasResidual } = problem;
  const words = quantizedRowWords(k);
  const a = indexOperand(operands, 'a', m * words);
  const codes = unpack(indexOperand(operands, 'weight', ternaryGroups(k) * n), n, k);
  const scales = floatOperand(operands, 'scales', problem.numParts);
  const bias = hasBias ? floatOperand(operands, 'bias', numColumns) : undefined;
  const residual = hasResidual ? floatOperand(operands, 'residual', m * numColumns) : undefined;
  const out = floatOperand(operands, 'out', m * numColumns);
  const f32 = Math.fround;
  const partOf = ({ partEnd0, partEnd1, partEnd2 }: MatmulTernaryProblem, column: number): number =>
    Number(column >= partEnd0) + Number(column >= partEnd1) + Number(column >= partEnd2);
  for (let row = 0; row < m; row++) {
    const quantized = a.subarray(row * words, (row + 1) * words);
    const activations = rowCodes(quantized);
    const tokenFactor = rowFactor(quantized);
    for (let column = 0; column < n; column++) {
      const scale = at(scales, partOf(problem, column));
      const factor = scaling === 'multiply' ? f32(tokenFactor * scale) : quotient(tokenFactor, scale);
      const outColumn = columnOffset + column;
      const index = row * numColumns + outColumn;
      let addend = residual ? at(residual, index) : 0;
      if (bias) addend = f32(addend + f32(at(bias, outColumn) * (scalesBias ? scale : 1)));
      out[index] = f32(dot(activations, codes, column * k, k) * factor) + addend;
    }
  }
}

/** Codes [n, k], row-major. */
function unpack(words: Uint32Array, n: number, k: number): Int8Array {
  const codes = new Int8Array(n * k);
  for (let row = 0; row < n; row++) {
    for (let column = 0; column < k; column++)
      codes[row * k + column] = packedTernaryCode(words, n, row, column);
  }
  return codes;
}

function dot(a: Int8Array, codes: Int8Array, offset: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += (a[i] as number) * (codes[offset + i] as number);
  return sum;
}
