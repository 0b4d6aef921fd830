import { dequantizeNf4, nf4Map, quantizeNf4 } from '../../tensor/nf4.ts';
import { packNf4Codes, packNf4Scales } from '../matmul_nf4/pack.ts';
import type { Random } from './random.ts';

/** A random matrix in NF4: `packed` as the kernels of `embedding_nf4` take it, and `table` as the floats that it stands for. */
export function randomNf4Table(random: Random, numRows: number, hidden: number, blockSize: number) {
  const { codes, scales } = quantizeNf4(random.floats(numRows * hidden), blockSize);
  const stack = { first: 0, count: numRows, total: numRows };
  const packed = {
    codes: new Uint32Array(numRows * Math.ceil(hidden / 8)),
    scales: new Float32Array(scales.length),
    quant_map: Float32Array.from(nf4Map),
  };
  packNf4Codes(packed.codes, codes, stack, hidden);
  packNf4Scales(packed.scales, scales, stack, hidden, blockSize);
  return { packed, table: dequantizeNf4({ codes, scales }, numRows * hidden, blockSize) };
}
