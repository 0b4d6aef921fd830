import { FormatError } from '../util/errors.ts';
import { roundHalfEven } from './round.ts';

/** Codes of a checkpoint's byte. */
const codesPerByte = 4;

/** Codes of one word on the device. */
const codesPerWord = 16;

/** Value of the lowest bit of each element's field. */
const fieldUnits = Array.from({ length: codesPerWord }, (_, i) => 2 ** (8 * (i % 4) + 2 * Math.floor(i / 4)));

/** What the mean magnitude of a matrix is raised to before it divides, as in transformers. */
const smallestMean = 1e-5;

/** A matrix of the codes -1, 0 and 1, row-major. */
export interface TernaryMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly codes: Int8Array;
}

/**
 * Reads codes as Hugging Face's BitNet checkpoints store them: four strips of rows lie on top of each other, row r in field
 * r div (rows / 4) of byte row r mod (rows / 4). Fields of two bits from the lowest on hold the code plus 1.
 *
 * **Shapes** bytes[rows / 4, columns] → codes[rows, columns]
 * **Source** transformers, integrations/bitnet.py, `unpack_weights`
 *
 * @param tensor name for messages
 * @throws FormatError for a field of 3, which is no code.
 */
export function unpackTernary(
  tensor: string,
  bytes: Uint8Array,
  rows: number,
  columns: number,
): TernaryMatrix {
  const codes = new Int8Array(rows * columns);
  const stripLength = codes.length / codesPerByte;
  for (let strip = 0; strip < codesPerByte; strip++) {
    for (let i = 0; i < stripLength; i++) {
      const field = ((bytes[i] as number) >> (2 * strip)) & 3;
      const at = strip * stripLength + i;
      if (field === 3) {
        const place = `row ${Math.floor(at / columns)}, column ${at % columns}`;
        throw new FormatError(`tensor ${tensor}`, `${place}: expected a ternary code of 0, 1 or 2, found 3`);
      }
      codes[at] = field - 1;
    }
  }
  return { rows, columns, codes };
}

/**
 * Rounds a matrix of floats to codes and one scale, the mean magnitude, which multiplies them.
 *
 * **Numerics** f32 at each step, as transformers computes it; the mean alone is summed in f64, since the order of torch's sum differs
 * between machines.
 * **Source** transformers, integrations/bitnet.py, `WeightQuant`
 */
export function quantizeTernary(
  weight: Float32Array,
  rows: number,
  columns: number,
): { readonly matrix: TernaryMatrix; readonly scale: number } {
  let sum = 0;
  for (const value of weight) sum += Math.abs(value);
  const mean = Math.fround(sum / weight.length);
  const inverse = Math.fround(1 / Math.max(mean, Math.fround(smallestMean)));
  const codes = Int8Array.from(weight, (value) =>
    Math.min(Math.max(roundHalfEven(Math.fround(value * inverse)), -1), 1),
  );
  return { matrix: { rows, columns, codes }, scale: Math.fround(1 / inverse) };
}

/** Words of 16 codes along a row of so many; the last is filled up with zeros. */
export function ternaryGroups(columns: number): number {
  return Math.ceil(columns / codesPerWord);
}

/**
 * Packs stacked matrices as the kernels read them: two bits a code, 16 codes along a row in a word. Neighbouring rows, which are
 * neighbouring columns of a product, lie in neighbouring words, so that a workgroup's reads join. Within a word, shifting by 2j and
 * masking each byte leaves the codes of elements 4j … 4j + 3 in the four bytes.
 *
 * **Shapes** matrices[rows_i, columns] → words[ceil(columns / 16), Σ rows_i]
 * **Numerics** a field holds the code plus 1.
 */
export function packTernary(matrices: readonly TernaryMatrix[], columns: number): Uint32Array<ArrayBuffer> {
  const groups = ternaryGroups(columns);
  const numRows = matrices.reduce((sum, { rows }) => sum + rows, 0);
  const words = new Uint32Array(groups * numRows);
  let firstRow = 0;
  for (const { rows, codes } of matrices) {
    for (let row = 0; row < rows; row++) {
      for (let group = 0; group < groups; group++) {
        const first = row * columns + group * codesPerWord;
        const count = Math.min(codesPerWord, columns - group * codesPerWord);
        words[group * numRows + firstRow + row] = packWord(codes, first, count);
      }
    }
    firstRow += rows;
  }
  return words;
}

function packWord(codes: Int8Array, first: number, count: number): number {
  // Adding a code to a field of 1 gives the code plus 1, and never carries.
  let word = 0x55555555;
  for (let i = 0; i < count; i++) word += (codes[first + i] as number) * (fieldUnits[i] as number);
  return word;
}

/** The code of one element, as `packTernary` lays them out. */
export function packedTernaryCode(words: Uint32Array, numRows: number, row: number, column: number): number {
  const word = words[Math.floor(column / codesPerWord) * numRows + row] as number;
  return (Math.floor(word / (fieldUnits[column % codesPerWord] as number)) % 4) - 1;
}
