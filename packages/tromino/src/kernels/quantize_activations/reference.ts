import { roundHalfEven } from '../../tensor/round.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexOperand } from '../operands.ts';
import { quotient } from '../portable.ts';
import { quantizedRowWords, rowHeaderWords, type QuantizeActivationsProblem } from './contract.ts';

const smallestMaximum = Math.fround(1e-5);

/** Quantises each row in f32, with the device's bits. */
export function quantizeActivationsReference(
  { rows, k }: QuantizeActivationsProblem,
  operands: OperandArrays,
): void {
  const x = floatOperand(operands, 'x', rows * k);
  const words = quantizedRowWords(k);
  const out = indexOperand(operands, 'out', rows * words);
  for (let row = 0; row < rows; row++) {
    quantizeRow(x.subarray(row * k, (row + 1) * k), out.subarray(row * words, (row + 1) * words));
  }
}

function quantizeRow(values: Float32Array, out: Uint32Array): void {
  // Math.max gives NaN where any value is one.
  let largest = smallestMaximum;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  // Beyond 1e35 a quotient needs a smaller divisor.
  const shift = largest > 2 ** 60 ? 2 ** -60 : 1;
  const scale = Math.fround(quotient(127, Math.fround(largest * shift)) * shift);
  const codes = new Int8Array(
    out.buffer,
    out.byteOffset + 4 * rowHeaderWords,
    4 * (out.length - rowHeaderWords),
  );
  codes.fill(0);
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const code = Math.min(Math.max(roundHalfEven(Math.fround(at(values, i) * scale)), -128), 127);
    codes[i] = code;
    sum += codes[i] as number;
  }
  out.set([0, sum, 0, 0]);
  const header = new Float32Array(out.buffer, out.byteOffset, rowHeaderWords);
  header[0] = scale;
  header[2] = quotient(largest, 127);
}

/** A quantised row's scale. */
export function rowScale(row: Uint32Array): number {
  return new Float32Array(row.buffer, row.byteOffset, 1)[0] as number;
}

/** What a quantised row's codes are multiplied by: the inverse of its scale. */
export function rowFactor(row: Uint32Array): number {
  return new Float32Array(row.buffer, row.byteOffset, rowHeaderWords)[2] as number;
}

/** A quantised row's codes, zeros behind the last included. */
export function rowCodes(row: Uint32Array): Int8Array {
  return new Int8Array(row.buffer, row.byteOffset + 4 * rowHeaderWords, 4 * (row.length - rowHeaderWords));
}
