import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../util/errors.ts';
import {
  dequantizeNf4,
  dynamicMap,
  expandNestedScales,
  nf4BlockSizes,
  nf4CodeAt,
  nf4Map,
  quantizeNestedScales,
  quantizeNf4,
} from './nf4.ts';

/** Tensors that bitsandbytes itself quantised, with what it makes of them again: odd shapes, all block sizes, double quantisation. */
const fixtures = new URL('../../test/fixtures/nf4/', import.meta.url);
const file = readFileSync(new URL('nf4-blocks.safetensors', fixtures));
const cases = JSON.parse(readFileSync(new URL('nf4-blocks.json', fixtures), 'utf8')) as Record<
  string,
  { shape: [number, number]; blocksize: number; double_quant: boolean }
>;
const headerBytes = Number(file.readBigUInt64LE(0));
const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes)) as Record<
  string,
  { data_offsets: [number, number] }
>;

function bytesOf(name: string): Uint8Array<ArrayBuffer> {
  const [begin, end] = header[name]?.data_offsets ?? [NaN, NaN];
  return Uint8Array.from(file.subarray(8 + headerBytes + begin, 8 + headerBytes + end));
}

function floatsOf(name: string): Float32Array {
  return new Float32Array(bytesOf(name).buffer);
}

function bits(values: Float32Array): number[] {
  return [...new Uint32Array(values.buffer, values.byteOffset, values.length)];
}

function nestedOf(name: string): { nested_offset: number; nested_blocksize: number } {
  const state = new TextDecoder().decode(bytesOf(`${name}.weight.quant_state.bitsandbytes__nf4`));
  return JSON.parse(state) as { nested_offset: number; nested_blocksize: number };
}

function scalesOf(name: string, isNested: boolean): Float32Array {
  if (!isNested) return floatsOf(`${name}.weight.absmax`);
  const { nested_offset: offset, nested_blocksize: blockSize } = nestedOf(name);
  return expandNestedScales({
    codes: bytesOf(`${name}.weight.absmax`),
    absmax: floatsOf(`${name}.weight.nested_absmax`),
    map: floatsOf(`${name}.weight.nested_quant_map`),
    blockSize,
    offset,
  });
}

describe.each(Object.entries(cases))('%s of bitsandbytes', (name, { shape, blocksize, double_quant }) => {
  const count = shape[0] * shape[1];
  const codes = bytesOf(`${name}.weight`);

  it('dequantises to the same bits', () => {
    const map = floatsOf(`${name}.weight.quant_map`);
    const found = dequantizeNf4({ codes, scales: scalesOf(name, double_quant) }, count, blocksize, map);
    expect(bits(found)).toEqual(bits(floatsOf(`${name}.expected`)));
  });

  it('stores the map that is ours', () => {
    expect(bits(floatsOf(`${name}.weight.quant_map`))).toEqual(bits(Float32Array.from(nf4Map)));
  });

  // The largest weight of a block is its scale exactly, so what was quantised once quantises to the same again.
  it('quantises to the same codes and scales', () => {
    const found = quantizeNf4(floatsOf(`${name}.expected`), blocksize);
    expect([...found.codes]).toEqual([...codes]);
    expect(bits(found.scales)).toEqual(bits(scalesOf(name, double_quant)));
  });
});

describe('dynamicMap', () => {
  it('is the one that bitsandbytes stores', () => {
    expect(bits(dynamicMap())).toEqual(bits(floatsOf('case2.weight.nested_quant_map')));
  });
});

describe('quantizeNf4', () => {
  it('takes the nearest value, the lower one of two, and fills an odd count up with a zero', () => {
    const middle = Math.fround(Math.fround(0.5626170039176941 + 0.7229568362236023) / 2);
    const { codes, scales } = quantizeNf4(Float32Array.of(-2, 0, 2 * middle, 2, 0.5), 32);
    expect([...scales]).toEqual([2]);
    expect([...codes]).toEqual([0x07, 0xdf, 0xa7]);
    expect([0, 1, 2, 3, 4].map((i) => nf4CodeAt(codes, i))).toEqual([0, 7, 13, 15, 10]);
  });

  it.each(nf4BlockSizes)('gives weights of zero back as zeros in blocks of %i', (blockSize) => {
    const count = blockSize + 1;
    const block = quantizeNf4(new Float32Array(count), blockSize);
    expect([...dequantizeNf4(block, count, blockSize)]).toEqual(Array<number>(count).fill(0));
  });

  it('refuses a weight that is no finite number', () => {
    expect(() => quantizeNf4(Float32Array.of(1, NaN), 32)).toThrow(
      new ShapeError('weight 1', 'a finite number', 'NaN'),
    );
  });
});

describe('quantizeNestedScales', () => {
  it('keeps scales within the 8-bit code of their distance from the mean', () => {
    const scales = Float32Array.from({ length: 600 }, (_, i) => 1 + Math.sin(i) / 4);
    const nested = quantizeNestedScales(scales);
    expect(nested.absmax.length).toBe(3);
    expandNestedScales(nested).forEach((scale, i) => {
      expect(Math.abs(scale - (scales[i] ?? NaN))).toBeLessThan(0.25 * 0.008);
    });
  });
});

describe('dequantizeNf4', () => {
  it('wants every code and every scale', () => {
    const block = quantizeNf4(new Float32Array(65), 64);
    expect(() => dequantizeNf4({ ...block, codes: block.codes.subarray(1) }, 65, 64)).toThrow(
      'NF4 codes: expected 33, found 32',
    );
    expect(() => dequantizeNf4({ ...block, scales: block.scales.subarray(1) }, 65, 64)).toThrow(
      'NF4 scales: expected 2, found 1',
    );
  });
});
