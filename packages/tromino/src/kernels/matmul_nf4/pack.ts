import { ShapeError } from '../../util/errors.ts';
import { hasScalesByRow, nf4Scales, nf4Words } from './contract.ts';

/** Rows of one stored matrix among those of the stack that the op multiplies by. */
export interface StackedRows {
  readonly first: number;
  readonly count: number;
  /** Rows of the whole stack. */
  readonly total: number;
}

/**
 * Puts a matrix's codes, as bitsandbytes stores them (flat, two in a byte, the first in the high half), where `matmul_nf4` reads them.
 *
 * **Shapes** codes u8[ceil(count · k / 2)] → target u32[ceil(k / 8), total], the matrix's columns only
 * @throws ShapeError where there are more or fewer bytes than the matrix has.
 */
export function packNf4Codes(target: Uint32Array, codes: Uint8Array, rows: StackedRows, k: number): void {
  requireLength('packed NF4 codes', target, nf4Words(rows.total, k));
  requireLength('NF4 codes', codes, Math.ceil((rows.count * k) / 2));
  if (k % 8 === 0) packWholeWords(target, codes, rows, k / 8);
  else packSingleCodes(target, codes, rows, k);
}

/** Four bytes make a word: only their halves change places. */
function packWholeWords(
  target: Uint32Array,
  codes: Uint8Array,
  { first, count, total }: StackedRows,
  words: number,
): void {
  const view = new DataView(codes.buffer, codes.byteOffset, codes.byteLength);
  for (let row = 0; row < count; row++) {
    for (let word = 0; word < words; word++) {
      const bits = view.getUint32((row * words + word) * 4, true);
      target[word * total + first + row] = ((bits & 0x0f0f0f0f) << 4) | ((bits >>> 4) & 0x0f0f0f0f);
    }
  }
}

/** A row may begin in the middle of a byte. */
function packSingleCodes(
  target: Uint32Array,
  codes: Uint8Array,
  { first, count, total }: StackedRows,
  k: number,
): void {
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < k; column++) {
      const flat = row * k + column;
      const byte = codes[flat >> 1] as number;
      const code = flat % 2 === 0 ? byte >> 4 : byte & 15;
      const word = (column >> 3) * total + first + row;
      target[word] = (target[word] as number) | (code << (4 * (column % 8)));
    }
  }
}

/**
 * Puts a matrix's scales, one for each block of its flat weights, where `matmul_nf4` reads them.
 *
 * **Shapes** scales[ceil(count · k / blockSize)] → target[k / blockSize, total], the matrix's columns only, where rows are whole blocks;
 * else a run of target[ceil(total · k / blockSize)], so the rows before the matrix must be whole blocks together.
 * @throws ShapeError where there are more or fewer scales than the matrix has.
 */
export function packNf4Scales(
  target: Float32Array,
  scales: Float32Array,
  { first, count, total }: StackedRows,
  k: number,
  blockSize: number,
): void {
  requireLength('packed NF4 scales', target, nf4Scales(total, k, blockSize));
  requireLength('NF4 scales', scales, nf4Scales(count, k, blockSize));
  if (!hasScalesByRow(k, blockSize)) {
    target.set(scales, (first * k) / blockSize);
    return;
  }
  const blocks = k / blockSize;
  for (let row = 0; row < count; row++) {
    for (let block = 0; block < blocks; block++) {
      target[block * total + first + row] = scales[row * blocks + block] as number;
    }
  }
}

function requireLength(subject: string, values: ArrayLike<number>, length: number): void {
  if (values.length !== length) throw new ShapeError(subject, String(length), String(values.length));
}
