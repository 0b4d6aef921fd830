import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../io/memory_source.ts';
import { FormatError, SourceError, UnsupportedError } from '../../util/errors.ts';
import { encodeSafetensors } from '../testing/safetensors_file.ts';
import { readSafetensorsHeader } from './header.ts';
import type { SafetensorsHeader } from './header.ts';

async function read(bytes: Uint8Array): Promise<SafetensorsHeader> {
  return await readSafetensorsHeader(new MemorySource('m.safetensors', bytes));
}

const f32 = (shape: readonly number[], begin: number, end: number): object => ({
  dtype: 'F32',
  shape,
  data_offsets: [begin, end],
});
const one = { w: f32([2], 0, 8) };

describe('readSafetensorsHeader', () => {
  it('gives each tensor its place, in the order of the bytes', async () => {
    const header = {
      b: f32([1, 2], 4, 12),
      __metadata__: { format: 'pt' },
      a: { ...f32([2], 0, 4), dtype: 'F16' },
    };
    const { tensors, metadata } = await read(encodeSafetensors(header, 12));
    const begin = 8 + JSON.stringify(header).length;
    expect(tensors).toMatchObject([
      { name: 'a', dtype: 'f16', shape: [2], offsetBytes: begin, sizeBytes: 4 },
      { name: 'b', dtype: 'f32', shape: [1, 2], offsetBytes: begin + 4, sizeBytes: 8 },
    ]);
    expect(tensors[0]?.source.name).toBe('m.safetensors');
    expect([...metadata]).toEqual([['format', 'pt']]);
  });

  it('takes scalars, empty tensors and padding spaces', async () => {
    const header = { scalar: f32([], 0, 4), empty: f32([0, 7], 4, 4), emptyToo: f32([3, 0], 0, 0) };
    const { tensors } = await read(encodeSafetensors(`${JSON.stringify(header)}     `, 4));
    expect(tensors.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
      ['emptyToo', 0],
      ['scalar', 4],
      ['empty', 0],
    ]);
  });

  it('takes a file without tensors', async () => {
    expect((await read(encodeSafetensors({}, 0))).tensors).toEqual([]);
  });

  it.each(['F64', 'F32', 'F16', 'BF16', 'I64', 'I32', 'I16', 'I8', 'U64', 'U32', 'U16', 'U8', 'BOOL'])(
    'knows the size of %s',
    async (dtype) => {
      const size = dtype === 'BOOL' ? 1 : dtype === 'BF16' ? 2 : Number(dtype.slice(1)) / 8;
      const header = { w: { dtype, shape: [3], data_offsets: [0, 3 * size] } };
      expect((await read(encodeSafetensors(header, 3 * size))).tensors).toHaveLength(1);
    },
  );

  const name = 'tensor w: expected';
  it.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(0), 'expected a safetensors file, found an empty file'],
    ['seven bytes', Uint8Array.of(2, 0, 0, 0, 0, 0, 0), 'expected at least 8 bytes, found 7'],
    ['a header of 0 bytes', encodeSafetensors('', 0), 'expected a header of 2 bytes or more, found 0'],
    ['a header of 1 byte', encodeSafetensors('{', 0), 'expected a header of 2 bytes or more, found 1'],
    [
      'a header longer than the file',
      encodeSafetensors(one, 8, 100_000n),
      'expected a header of 100000 bytes, found a file with 62 bytes left',
    ],
    [
      'a header of 2^53 + 1 bytes',
      encodeSafetensors(one, 8, 2n ** 53n + 1n),
      'expected a header of 9007199254740993 bytes',
    ],
    [
      'a header of 2^64 - 1 bytes',
      encodeSafetensors(one, 8, 2n ** 64n - 1n),
      'expected a header of 18446744073709551615 bytes',
    ],
    [
      'a header that is no JSON',
      encodeSafetensors('{"w": ', 8),
      'expected a header in JSON, found SyntaxError',
    ],
    ['a header that is an array', encodeSafetensors([one], 8), 'expected a header that begins with {'],
    [
      'a header that begins with a space',
      encodeSafetensors(' {}', 0),
      'expected a header that begins with {',
    ],
    ['a header that is no UTF-8', brokenText(), 'expected a header in UTF-8'],
    [
      'a tensor that is no object',
      encodeSafetensors({ w: 7 }, 0),
      `${name} an object with dtype, shape and data_offsets`,
    ],
    [
      'no dtype',
      encodeSafetensors({ w: { shape: [], data_offsets: [0, 4] } }, 4),
      `${name} a dtype, found nothing`,
    ],
    ['an unknown dtype', encodeSafetensors({ w: { ...f32([2], 0, 8), dtype: 'F31' } }, 8), 'found F31'],
    [
      'a dtype in small letters',
      encodeSafetensors({ w: { ...f32([2], 0, 8), dtype: 'f32' } }, 8),
      'found f32',
    ],
    ['no shape', encodeSafetensors({ w: { dtype: 'F32', data_offsets: [0, 4] } }, 4), `${name} a shape`],
    [
      'a negative size',
      encodeSafetensors({ w: f32([-2], 0, 8) }, 8),
      `${name} a shape of whole numbers, found [-2]`,
    ],
    [
      'a fractional size',
      encodeSafetensors({ w: f32([1.5], 0, 6) }, 6),
      `${name} a shape of whole numbers, found [1.5]`,
    ],
    [
      'begin > end',
      encodeSafetensors({ w: f32([2], 8, 0) }, 8),
      `${name} data_offsets in rising order, found [8, 0]`,
    ],
    [
      'a negative offset',
      encodeSafetensors({ w: f32([2], -8, 0) }, 8),
      `${name} data_offsets of two whole numbers`,
    ],
    [
      'a fractional offset',
      encodeSafetensors({ w: f32([2], 0, 8.5) }, 9),
      `${name} data_offsets of two whole numbers`,
    ],
    [
      'an offset that is text',
      encodeSafetensors('{"w":{"dtype":"F32","shape":[2],"data_offsets":["0",8]}}', 8),
      'two whole',
    ],
    [
      'three offsets',
      encodeSafetensors('{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}', 8),
      'two whole',
    ],
    [
      'an end beyond the file',
      encodeSafetensors({ w: f32([4], 0, 16) }, 8),
      `${name} data that ends at byte 16, found a file with 8 bytes of data`,
    ],
    [
      'a shape too large for its range',
      encodeSafetensors({ w: f32([3], 0, 8) }, 8),
      `${name} 12 bytes for f32 [3], found 8`,
    ],
    [
      'a shape that overflows',
      encodeSafetensors({ w: f32([2 ** 31, 2 ** 31, 2 ** 31], 0, 8) }, 8),
      'expected 39614081257132168796771975168 bytes',
    ],
    [
      'a shape that is its range after rounding',
      // 2^53 - 1 elements of 4 bytes are 2^55 - 4; as numbers 2^55 - 8 and 2^55 - 4 are the same.
      encodeSafetensors({ w: f32([2 ** 53 - 1], 0, 8) }, 8),
      'expected 36028797018963964 bytes',
    ],
    [
      'an overlap',
      encodeSafetensors({ a: f32([2], 0, 8), b: f32([2], 4, 12) }, 12),
      'tensor b: expected data right after tensor a, found an overlap of 4 bytes',
    ],
    [
      'the same range twice',
      encodeSafetensors({ a: f32([2], 0, 8), b: f32([2], 0, 8) }, 8),
      'tensor b: expected data right after tensor a, found an overlap of 8 bytes',
    ],
    [
      'a hole',
      encodeSafetensors({ a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12),
      'tensor b: expected data right after tensor a, found a hole of 4 bytes',
    ],
    [
      'a hole at the beginning',
      encodeSafetensors({ a: f32([1], 4, 8) }, 8),
      'tensor a: expected data right after the header, found a hole of 4 bytes',
    ],
    [
      'bytes after the last tensor',
      encodeSafetensors(one, 11),
      'expected the file to end with tensor w, found 3 bytes more',
    ],
    [
      'a name given twice',
      encodeSafetensors(
        `{"w": ${JSON.stringify(f32([2], 0, 8))}, "\\u0077": ${JSON.stringify(f32([1], 0, 4))}}`,
        8,
      ),
      'expected each name once, found "w" twice',
    ],
    [
      'metadata that is no text',
      encodeSafetensors({ ...one, __metadata__: { n: 1 } }, 8),
      '__metadata__.n: expected a string',
    ],
    [
      'metadata that is a list',
      encodeSafetensors({ ...one, __metadata__: [] }, 8),
      '__metadata__: expected an object',
    ],
    ['an HTML page', new TextEncoder().encode('<!DOCTYPE html><html>'), 'found an HTML or XML page'],
    [
      'a Git LFS pointer',
      new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n'),
      'found a Git LFS pointer',
    ],
  ])('refuses %s', async (_, bytes, message) => {
    const reading = read(bytes);
    await expect(reading).rejects.toThrow(FormatError);
    await expect(reading).rejects.toThrow('m.safetensors: ');
    await expect(reading).rejects.toThrow(message);
  });

  it('refuses a header above the limit before reading it', async () => {
    let readBytes = 0;
    const source = new MemorySource('m.safetensors', new Uint8Array(0));
    const start = encodeSafetensors('{}', 0, 100_000_001n);
    Object.defineProperty(source, 'sizeBytes', { value: 2 ** 40 });
    source.read = (_, lengthBytes) => {
      readBytes += lengthBytes;
      return Promise.resolve(start);
    };
    await expect(readSafetensorsHeader(source)).rejects.toThrow('at most 100000000 bytes, found 100000001');
    expect(readBytes).toBe(200);
  });

  it('says of a dtype of the format that it is not supported yet', async () => {
    const bytes = encodeSafetensors({ w: { dtype: 'F8_E4M3', shape: [2], data_offsets: [0, 2] } }, 2);
    await expect(read(bytes)).rejects.toThrow(UnsupportedError);
    await expect(read(bytes)).rejects.toThrow('m.safetensors, tensor w: dtype F8_E4M3 is not supported');
  });

  it('refuses a file cut anywhere', async () => {
    const whole = encodeSafetensors({ a: f32([2], 0, 8), b: f32([16], 8, 72) }, 72);
    for (let kept = 0; kept < whole.length; kept++) {
      const error: unknown = await read(whole.subarray(0, kept)).catch((cause: unknown) => cause);
      expect(
        error instanceof FormatError || error instanceof SourceError,
        `${kept} bytes: ${String(error)}`,
      ).toBe(true);
    }
    expect((await read(whole)).tensors).toHaveLength(2);
  });
});

function brokenText(): Uint8Array {
  const bytes = encodeSafetensors('{"name": 1}', 0);
  bytes[11] = 0xff;
  return bytes;
}
