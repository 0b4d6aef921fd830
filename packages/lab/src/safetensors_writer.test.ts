import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TensorToStore } from 'tromino';
import { writeSafetensors } from './safetensors_writer.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tromino-writer-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function* tensors(...list: TensorToStore[]): AsyncGenerator<TensorToStore> {
  for (const tensor of list) yield await Promise.resolve(tensor);
}

it('writes a header and then the data, larger elements first', async () => {
  const path = join(folder, 'model.safetensors');
  await writeSafetensors(
    path,
    tensors(
      { name: 'codes', dtype: 'u8', shape: [3, 1], bytes: Uint8Array.of(1, 2, 3) },
      { name: 'scale', dtype: 'f32', shape: [1], bytes: Uint8Array.of(4, 5, 6, 7) },
      { name: 'half', dtype: 'bf16', shape: [1], bytes: Uint8Array.of(8, 9) },
      { name: 'state', dtype: 'u8', shape: [1], bytes: Uint8Array.of(10) },
    ),
  );
  const file = await readFile(path);
  const headerBytes = Number(file.readBigUInt64LE(0));
  expect(headerBytes % 8).toBe(0);
  expect(JSON.parse(file.toString('utf8', 8, 8 + headerBytes))).toEqual({
    __metadata__: { format: 'pt' },
    scale: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
    half: { dtype: 'BF16', shape: [1], data_offsets: [4, 6] },
    codes: { dtype: 'U8', shape: [3, 1], data_offsets: [6, 9] },
    state: { dtype: 'U8', shape: [1], data_offsets: [9, 10] },
  });
  expect([...file.subarray(8 + headerBytes)]).toEqual([4, 5, 6, 7, 8, 9, 1, 2, 3, 10]);
  expect(await readdir(folder)).toEqual(['model.safetensors']);
});

it('puts small tensors before large ones of equal elements', async () => {
  const path = join(folder, 'model.safetensors');
  const bytes = (name: string, count: number): TensorToStore => {
    return { name, dtype: 'u8', shape: [count], bytes: new Uint8Array(count).fill(count % 251) };
  };
  await writeSafetensors(
    path,
    tensors(bytes('codes', 4097), bytes('state', 200), bytes('more', 5000), bytes('map', 4096)),
  );
  const file = await readFile(path);
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes)) as Record<
    string,
    { data_offsets: number[] }
  >;
  const places = ['state', 'map', 'codes', 'more'].map((name) => header[name]?.data_offsets);
  expect(places).toEqual([
    [0, 200],
    [200, 4296],
    [4296, 8393],
    [8393, 13_393],
  ]);
  expect(file[8 + headerBytes + 4296]).toBe(4097 % 251);
});

it('leaves nothing beside it when a tensor cannot be made', async () => {
  async function* failing(): AsyncGenerator<TensorToStore> {
    yield await Promise.resolve({ name: 'a', dtype: 'u8', shape: [1], bytes: Uint8Array.of(1) });
    throw new Error('no more');
  }
  await expect(writeSafetensors(join(folder, 'model.safetensors'), failing())).rejects.toThrow('no more');
  expect(await readdir(folder)).toEqual([]);
});
