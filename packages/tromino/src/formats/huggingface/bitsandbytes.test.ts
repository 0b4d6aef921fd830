import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../io/checkpoint_files.ts';
import { serveFile, startFileServer } from '../../io/node/testing/file_server.ts';
import { FormatError, ShapeError, UnsupportedError } from '../../util/errors.ts';
import { readWeightIndex } from '../checkpoint_index.ts';
import { writeSafetensors, type TestTensor } from '../testing/safetensors_file.ts';
import type { WeightIndex } from '../weight_index.ts';
import { checkBitsandbytesConfig } from './bitsandbytes.ts';
import { ConfigReader } from './config_reader.ts';

const fixtures = new URL('../../../test/fixtures/', import.meta.url);

function readIndex(file: Uint8Array): Promise<WeightIndex> {
  return readWeightIndex(openCheckpoint(new Map([['model.safetensors', file]])));
}

type Tensors = Record<string, TestTensor>;

const name = 'layer.weight';
const stateName = `${name}.quant_state.bitsandbytes__nf4`;

function bytes(count: number): TestTensor {
  return { dtype: 'U8', shape: [count], bytes: new Uint8Array(count) };
}

function floats(count: number): TestTensor {
  return { dtype: 'F32', shape: [count], bytes: new Uint8Array(count * 4) };
}

function json(value: unknown): TestTensor {
  const text = new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  return { dtype: 'U8', shape: [text.length], bytes: text };
}

const state = { quant_type: 'nf4', blocksize: 64, dtype: 'float32', shape: [5, 333] };
const nestedState = { ...state, nested_blocksize: 256, nested_dtype: 'float32', nested_offset: 0.5 };

/** A 5 x 333 matrix: 833 bytes of codes, 27 blocks. */
const plain: Tensors = {
  [name]: { ...bytes(833), shape: [833, 1] },
  [`${name}.absmax`]: floats(27),
  [`${name}.quant_map`]: floats(16),
  [stateName]: json(state),
};
const nested: Tensors = {
  ...plain,
  [`${name}.absmax`]: bytes(27),
  [`${name}.nested_absmax`]: floats(1),
  [`${name}.nested_quant_map`]: floats(256),
  [stateName]: json(nestedState),
};

function without(tensors: Tensors, left: string): Tensors {
  return Object.fromEntries(Object.entries(tensors).filter(([key]) => key !== left));
}

describe('readNf4Matrices', () => {
  it('reads what bitsandbytes wrote', async () => {
    const { nf4 } = await readIndex(readFileSync(new URL('nf4/nf4-blocks.safetensors', fixtures)));
    const cases = JSON.parse(readFileSync(new URL('nf4/nf4-blocks.json', fixtures), 'utf8')) as Record<
      string,
      { shape: number[]; blocksize: number; double_quant: boolean }
    >;
    expect(nf4.size).toBe(7);
    for (const [key, { shape, blocksize, double_quant }] of Object.entries(cases)) {
      const matrix = nf4.get(`${key}.weight`);
      expect([matrix?.rows, matrix?.columns, matrix?.blockSize]).toEqual([...shape, blocksize]);
      expect(matrix?.map[1]).toBe(-0.6961928009986877);
      expect(matrix?.nested !== undefined).toBe(double_quant);
    }
    expect(nf4.get('case3.weight')?.nested?.blockSize).toBe(256);
  });

  it('reads each file once where a server ignores ranges, however many matrices there are', async () => {
    const numMatrices = 40;
    const large = { ...bytes(40_960), shape: [40_960, 1] };
    const file = writeSafetensors(
      Object.fromEntries(
        Array.from({ length: numMatrices }, (_, i) => [
          [`${i}.weight`, large],
          [`${i}.weight.absmax`, floats(1280)],
          [`${i}.weight.quant_map`, floats(16)],
          [`${i}.weight.quant_state.bitsandbytes__nf4`, json({ ...state, shape: [320, 256] })],
        ]).flat() as [string, TestTensor][],
      ),
    );
    await using server = await startFileServer({
      '/ranges/model.safetensors': serveFile(file),
      '/whole/model.safetensors': (_, response) => {
        response.writeHead(200, { 'content-length': file.length }).end(file);
      },
    });
    const count = async (folder: string): Promise<number> => {
      const before = server.requests.length;
      const { nf4 } = await readWeightIndex(openCheckpoint(`${server.url}/${folder}/`));
      expect(nf4.size).toBe(numMatrices);
      return server.requests.length - before;
    };
    expect(await count('whole')).toBe(2);
    expect(await count('ranges')).toBeGreaterThan(numMatrices / 2);
  });

  it.each([
    ['plain', plain],
    ['nested', nested],
  ])('reads a %s matrix', async (_, tensors) => {
    const { nf4 } = await readIndex(writeSafetensors(tensors));
    expect([...nf4.keys()]).toEqual([name]);
  });

  it('takes codes that are stored as another type', async () => {
    const codes = { dtype: 'BF16', shape: [417, 1], bytes: new Uint8Array(834) };
    const { nf4 } = await readIndex(writeSafetensors({ ...plain, [name]: codes }));
    expect(nf4.get(name)?.codes.dtype).toBe('bf16');
  });

  const wrongState = (change: object): Tensors => ({
    ...nested,
    [stateName]: json({ ...nestedState, ...change }),
  });

  it.each<[string, Tensors, new (...args: never[]) => Error, string]>([
    [
      'no codes',
      without(plain, name),
      FormatError,
      `${stateName}: expected tensor ${name} beside it, found none`,
    ],
    ['no scales', without(plain, `${name}.absmax`), FormatError, `expected tensor ${name}.absmax beside it`],
    [
      'no map',
      without(plain, `${name}.quant_map`),
      FormatError,
      `expected tensor ${name}.quant_map beside it`,
    ],
    [
      'no quant_state',
      without(plain, stateName),
      FormatError,
      `tensor ${name}.absmax: expected ${stateName} beside it`,
    ],
    [
      'no nested scales',
      without(nested, `${name}.nested_absmax`),
      FormatError,
      `${name}.nested_absmax beside it`,
    ],
    [
      'no nested map',
      without(nested, `${name}.nested_quant_map`),
      FormatError,
      `${name}.nested_quant_map beside it`,
    ],
    [
      'fp4',
      { ...without(plain, stateName), [stateName.replace('nf4', 'fp4')]: json(state) },
      UnsupportedError,
      '4-bit type "fp4"; only nf4 is supported',
    ],
    [
      'another type in the JSON',
      wrongState({ quant_type: 'fp4' }),
      FormatError,
      `quant_type: expected "nf4"`,
    ],
    ['a block size of none', wrongState({ blocksize: 48 }), FormatError, 'blocksize: expected one of 32, 64'],
    ['three sizes', wrongState({ shape: [5, 333, 1] }), FormatError, 'shape: expected two positive sizes'],
    ['a size of nothing', wrongState({ shape: [0, 333] }), FormatError, 'shape: expected two positive sizes'],
    [
      'no offset',
      wrongState({ nested_offset: null }),
      FormatError,
      'nested_offset: expected a number, found null',
    ],
    [
      'an odd nested type',
      wrongState({ nested_dtype: 'int8' }),
      FormatError,
      'nested_dtype: expected float32',
    ],
    [
      'an offset for floats',
      { ...plain, [stateName]: json(nestedState) },
      FormatError,
      `${name}.absmax: expected u8`,
    ],
    [
      'no JSON',
      { ...plain, [stateName]: json('nonsense') },
      FormatError,
      `tensor ${stateName}: expected JSON`,
    ],
    [
      'truncated codes',
      { ...plain, [name]: bytes(832) },
      ShapeError,
      `tensor ${name}: expected 833 bytes for [5, 333]`,
    ],
    [
      'too few scales',
      { ...plain, [`${name}.absmax`]: floats(26) },
      ShapeError,
      'expected 27 elements, found [26]',
    ],
    [
      'too many values',
      { ...plain, [`${name}.quant_map`]: floats(17) },
      ShapeError,
      'expected 16 elements, found [17]',
    ],
    [
      'scales of integers',
      { ...plain, [`${name}.absmax`]: { dtype: 'I32', shape: [27], bytes: new Uint8Array(108) } },
      FormatError,
      'expected f32 or u8, found i32',
    ],
    [
      'a value that is no number',
      { ...plain, [`${name}.quant_map`]: { ...floats(16), bytes: new Uint8Array(64).fill(255) } },
      FormatError,
      `${name}.quant_map: expected 16 finite numbers, found NaN at 0`,
    ],
  ])('refuses %s', async (_, tensors, kind, message) => {
    const reading = readIndex(writeSafetensors(tensors));
    await expect(reading).rejects.toThrow(kind);
    await expect(reading).rejects.toThrow(message);
  });
});

describe('checkBitsandbytesConfig', () => {
  const check = async (config: object, tensors: Tensors = plain): Promise<void> => {
    const json = JSON.parse(JSON.stringify(config)) as ConfigReader['json'];
    checkBitsandbytesConfig(
      new ConfigReader('config.json', json),
      await readIndex(writeSafetensors(tensors)),
    );
  };

  it('agrees with 4-bit weights under either name', async () => {
    await check({ load_in_4bit: true });
    await check({ _load_in_4bit: true });
  });

  it('refuses other kinds, and 4-bit weights that are not there', async () => {
    await expect(check({ load_in_8bit: true })).rejects.toThrow(UnsupportedError);
    await expect(check({})).rejects.toThrow('load_in_4bit: expected true, found nothing');
    await expect(check({ load_in_4bit: true }, { 'a.weight': floats(1) })).rejects.toThrow(
      'found none with a quant_state',
    );
  });
});
