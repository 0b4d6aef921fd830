/**
 * NF4: four bits a weight, as bitsandbytes stores and computes them. Weights are taken flat, in blocks that share a scale:
 * `weight[f] = map[code[f]] * scale[floor(f / blockSize)]`. Two codes lie in a byte, the first in its high half. The last block may be
 * short. Scales may be quantised again ("double quantisation"): 8 bits each, in blocks of their own, around their mean.
 *
 * **Numerics** every product, sum and quotient is rounded to f32, as bitsandbytes rounds it: the same bits come out.
 *
 * **Source** https://github.com/bitsandbytes-foundation/bitsandbytes, bitsandbytes/functional.py (`quantize_4bit`, `dequantize_4bit`,
 * `create_dynamic_map`) and bitsandbytes/backends/default/ops.py; the table is that of QLoRA (arXiv 2305.14314), appendix E.
 */

import { ShapeError } from '../util/errors.ts';
import { torchMean } from './torch_mean.ts';

/** The values of the 16 codes, ascending: quantiles of a normal distribution, with an exact zero. */
export const nf4Map: readonly number[] = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
];

/** The code of an exact zero. */
const zeroCode = 7;

/** Block sizes that bitsandbytes knows. All are powers of two. */
export const nf4BlockSizes: readonly number[] = [32, 64, 128, 256, 512, 1024, 2048, 4096];

/** Scales as 8-bit codes around their mean: `scale[i] = map[codes[i]] * absmax[floor(i / blockSize)] + offset`. */
export interface NestedScales {
  readonly codes: Uint8Array;
  readonly absmax: Float32Array;
  /** The values of the 256 codes. */
  readonly map: ArrayLike<number>;
  readonly blockSize: number;
  readonly offset: number;
}

/** A flat run of weights, quantised. */
export interface Nf4Block {
  /** Two codes a byte, the first in the high half; the low half of the last byte is unused where the count is odd. */
  readonly codes: Uint8Array;
  /** One scale for each block: the largest magnitude in it. */
  readonly scales: Float32Array;
}

/** Number of bytes that `count` codes take. */
export function nf4Bytes(count: number): number {
  return Math.ceil(count / 2);
}

/** The code of weight `index`: two lie in a byte, the first in its high half. */
export function nf4CodeAt(codes: Uint8Array, index: number): number {
  const byte = codes[index >> 1] as number;
  return index % 2 === 0 ? byte >> 4 : byte & 15;
}

/**
 * Computes weights from their codes.
 * @throws ShapeError where there are too few codes or scales for `count` weights.
 */
export function dequantizeNf4(
  { codes, scales }: Nf4Block,
  count: number,
  blockSize: number,
  map: ArrayLike<number> = nf4Map,
): Float32Array {
  requireLength('NF4 codes', codes, nf4Bytes(count));
  requireLength('NF4 scales', scales, Math.ceil(count / blockSize));
  const weights = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    weights[i] = (map[nf4CodeAt(codes, i)] as number) * (scales[Math.floor(i / blockSize)] as number);
  }
  return weights;
}

/**
 * Computes scales from their codes. Each product and each sum is rounded by `round`, to f32 unless the checkpoint says otherwise.
 * @throws ShapeError where there are too few of the scales' scales, or the map is not of 256 values.
 */
export function expandNestedScales(
  { codes, absmax, map, blockSize, offset }: NestedScales,
  round: (value: number) => number = Math.fround,
): Float32Array {
  requireLength('scales of the NF4 scales', absmax, Math.ceil(codes.length / blockSize));
  requireLength('values of the NF4 scales', map, 256);
  const mean = Math.fround(offset);
  return Float32Array.from(codes, (code, i) => {
    const scale = Math.fround((map[code] as number) * (absmax[Math.floor(i / blockSize)] as number));
    return round(round(scale) + mean);
  });
}

/**
 * Quantises weights to the nearest of the 16 values times their block's scale. Ties go to the lower value.
 * @throws ShapeError for a weight that is no finite number: its whole block would be lost.
 */
export function quantizeNf4(weights: Float32Array, blockSize: number): Nf4Block {
  const { codes: indices, absmax } = quantizeBlocks(weights, nf4Map, blockSize);
  const codes = new Uint8Array(nf4Bytes(weights.length));
  for (let byte = 0; byte < codes.length; byte++) {
    // bitsandbytes fills an odd count up with a weight of zero.
    codes[byte] = ((indices[2 * byte] as number) << 4) | (indices[2 * byte + 1] ?? zeroCode);
  }
  return { codes, scales: absmax };
}

/** Quantises scales to 8 bits around their mean, as bitsandbytes' `compress_statistics`. */
export function quantizeNestedScales(scales: Float32Array, blockSize = 256): NestedScales {
  const offset = torchMean(scales);
  const map = dynamicMap();
  const centred = scales.map((scale) => scale - offset);
  return { ...quantizeBlocks(centred, map, blockSize), map, blockSize, offset };
}

/**
 * The 256 values of an 8-bit code with a sign, a unary exponent and, in the bits that are left, a linear fraction: fine near zero, where
 * most values lie, and coarse near 1.
 */
export function dynamicMap(): Float32Array {
  const exponents = 7;
  const values = [0, 1];
  for (let i = 0; i < exponents; i++) {
    const count = 2 ** i;
    const power = Math.fround(10 ** (i - exponents + 1));
    for (let j = 0; j < count; j++) {
      const middle = Math.fround(Math.fround(boundary(j, count) + boundary(j + 1, count)) / 2);
      const value = Math.fround(power * middle);
      values.push(value, -value);
    }
  }
  return Float32Array.from(values).sort();
}

/** Border `i` of `count` equal intervals from 0.1 to 1. The upper half is counted from the end, as torch's `linspace` counts. */
function boundary(i: number, count: number): number {
  const [first, last] = [Math.fround(0.1), 1];
  const step = Math.fround(Math.fround(last - first) / count);
  if (i < (count + 1) / 2) return Math.fround(first + step * i);
  return Math.fround(last - step * (count - i));
}

/** The smallest scale that a division by it survives. */
const leastScale = Math.fround(1e-38);

/** Divides blocks by their largest magnitude and takes the nearest values of an ascending map; ties go to the lower. */
function quantizeBlocks(
  values: Float32Array,
  map: ArrayLike<number>,
  blockSize: number,
): { codes: Uint8Array; absmax: Float32Array } {
  const bounds = Float32Array.from({ length: map.length - 1 }, (_, i) => {
    return Math.fround((map[i] as number) + (map[i + 1] as number)) / 2;
  });
  const codes = new Uint8Array(values.length);
  const absmax = new Float32Array(Math.ceil(values.length / blockSize));
  for (let block = 0; block < absmax.length; block++) {
    const begin = block * blockSize;
    const end = Math.min(begin + blockSize, values.length);
    const largest = largestMagnitude(values, begin, end);
    const divisor = Math.max(largest, leastScale);
    // A whole block is multiplied by the inverse, a short one divided: bitsandbytes does, and the codes of a few weights depend on it.
    const isWhole = end - begin === blockSize;
    absmax[block] = isWhole ? largest : divisor;
    const inverse = Math.fround(1 / divisor);
    for (let i = begin; i < end; i++) {
      const value = values[i] as number;
      codes[i] = countBelow(bounds, Math.fround(isWhole ? value * inverse : value / divisor));
    }
  }
  return { codes, absmax };
}

function largestMagnitude(values: Float32Array, begin: number, end: number): number {
  let largest = 0;
  for (let i = begin; i < end; i++) {
    const magnitude = Math.abs(values[i] as number);
    if (!(magnitude < Infinity)) throw new ShapeError(`weight ${i}`, 'a finite number', String(values[i]));
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}

/** How many of the ascending bounds are below the value, by bisection: this runs once for every weight. */
function countBelow(bounds: Float32Array, value: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function requireLength(subject: string, values: ArrayLike<number>, length: number): void {
  if (values.length !== length) throw new ShapeError(subject, String(length), String(values.length));
}
