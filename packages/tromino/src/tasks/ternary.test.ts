import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readSafetensorsHeader } from '../formats/safetensors/header.ts';
import { writeSafetensors, type TestTensor } from '../formats/testing/safetensors_file.ts';
import { MemorySource } from '../io/memory_source.ts';
import { inspectCheckpoint, loadGenerator } from '../node.ts';
import { must } from '../util/assert.ts';

const folder = new URL('../../test/fixtures/checkpoints/bitnet-lm-autobitlinear/', import.meta.url);

interface Changes {
  readonly tensors?: Readonly<Record<string, TestTensor | undefined>>;
  readonly quantization?: Readonly<Record<string, string>>;
}

/** The checkpoint with some tensors changed or, where undefined, left out, and with another quantization. */
async function checkpoint({ tensors = {}, quantization = {} }: Changes): Promise<Map<string, Uint8Array>> {
  const file = 'model.safetensors';
  const bytes = await readFile(new URL(file, folder));
  const stored = (await readSafetensorsHeader(new MemorySource(file, bytes))).tensors;
  const all = Object.fromEntries(
    stored.map(({ name, dtype, shape, offsetBytes, sizeBytes }): [string, TestTensor | undefined] => [
      name,
      { dtype: dtype.toUpperCase(), shape, bytes: bytes.subarray(offsetBytes, offsetBytes + sizeBytes) },
    ]),
  );
  const kept = Object.entries({ ...all, ...tensors }).filter(
    (entry): entry is [string, TestTensor] => entry[1] !== undefined,
  );
  const config = JSON.parse(await readFile(new URL('config.json', folder), 'utf8')) as {
    quantization_config: object;
  };
  Object.assign(config.quantization_config, quantization);
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(config))],
    [file, writeSafetensors(Object.fromEntries(kept))],
  ]);
}

/** Two bits a weight and four bytes a matrix for three layers of seven; floats for embedding, head and norms. */
const weightBytes =
  3 * ((4 * 64 * 64 + 3 * 128 * 64 - 2 * 32 * 64) / 4 + 7 * 4) + 4 * (2 * 320 * 64 + 3 * (3 * 64 + 128) + 64);

it('a ternary model owns two bits for each weight of its projections', async () => {
  using model = await loadGenerator(folder, { backend: 'cpu' });
  expect(weightBytes).toBe(195_668);
  expect(model.memory().categories.weights.currentBytes).toBe(weightBytes);
});

it('inspection shows packed matrices whole, with their bits', async () => {
  const { tensors, numParameters } = await inspectCheckpoint(folder);
  const down = tensors.find(({ name }) => name === 'model.layers.0.mlp.down_proj.weight');
  expect(down).toMatchObject({
    dtype: 'ternary',
    shape: [64, 128],
    sizeBytes: 2052,
    bitsPerWeight: 2.00390625,
  });
  expect(tensors.filter(({ name }) => name.endsWith('_scale'))).toEqual([]);
  expect(numParameters).toBe(
    3 * (4 * 64 * 64 + 3 * 128 * 64 - 2 * 32 * 64) + 2 * 320 * 64 + 3 * (3 * 64 + 128) + 64,
  );
});

const name = 'model.layers.1.self_attn.k_proj.weight';

function floats(shape: readonly number[], values: ArrayLike<number>): TestTensor {
  return { dtype: 'F32', shape, bytes: new Uint8Array(Float32Array.from(values).buffer) };
}

function scaleOf(value: number): Changes {
  return { tensors: { [`${name}_scale`]: floats([1], [value]) } };
}

it('a scale of 0 that multiplies is a matrix of zeros', async () => {
  using model = await loadGenerator(await checkpoint(scaleOf(0)), { backend: 'cpu' });
  expect((await model.lastLogits([5])).every(Number.isFinite)).toBe(true);
});

it('a float that is no finite number is named before it is rounded away', async () => {
  const online = new URL('../bitnet-lm-online/', folder);
  const read = async (file: string): Promise<Uint8Array> =>
    new Uint8Array(await readFile(new URL(file, online)));
  const [config, bytes] = [await read('config.json'), await read('model.safetensors')];
  const { tensors } = await readSafetensorsHeader(new MemorySource('model.safetensors', bytes));
  const { offsetBytes } = must(
    tensors.find((tensor) => tensor.name === name),
    name,
  );
  new DataView(bytes.buffer).setFloat32(offsetBytes + 4 * (2 * 48 + 5), Infinity, true);
  const files = new Map([
    ['config.json', config],
    ['model.safetensors', bytes],
  ]);
  await expect(loadGenerator(files, { backend: 'cpu' })).rejects.toThrow(
    `tensor ${name}: row 2, column 5: expected a finite number, found Infinity`,
  );
});

describe('a ternary checkpoint with a fault', () => {
  it.each<[string, Changes, string]>([
    [
      'a matrix of another shape',
      { tensors: { [name]: { dtype: 'U8', shape: [32, 64], bytes: new Uint8Array(32 * 64) } } },
      `tensor ${name}: expected [8, 64], found [32, 64]`,
    ],
    [
      'floats where codes are promised',
      { tensors: { [name]: { dtype: 'F32', shape: [8, 64], bytes: new Uint8Array(8 * 64 * 4) } } },
      `tensor ${name}: stored as f32; u8 is expected`,
    ],
    ['no scale', { tensors: { [`${name}_scale`]: undefined } }, `1 tensors are missing: ${name}_scale`],
    [
      'a code of 3',
      {
        tensors: {
          [name]: { dtype: 'U8', shape: [8, 64], bytes: new Uint8Array(8 * 64).fill(0b11, 64, 65) },
        },
      },
      `tensor ${name}: row 1, column 0: expected a ternary code of 0, 1 or 2, found 3`,
    ],
    ['a scale that is no number', scaleOf(NaN), `tensor ${name}_scale: expected a finite number, found NaN`],
    [
      'an infinite scale that divides',
      { ...scaleOf(Infinity), quantization: { linear_class: 'bitlinear' } },
      `tensor ${name}_scale: expected a finite number other than 0, found Infinity`,
    ],
    [
      'a scale of 0 that divides',
      { ...scaleOf(0), quantization: { linear_class: 'bitlinear' } },
      `tensor ${name}_scale: expected a finite number other than 0, found 0`,
    ],
    [
      'codes where floats are promised',
      { quantization: { quantization_mode: 'online' } },
      'stored as u8; f32 or f16 or bf16 or f64 is expected',
    ],
    [
      'another linear class',
      { quantization: { linear_class: 'tritlinear' } },
      'quantization_config.linear_class',
    ],
    ['another method', { quantization: { quant_method: 'trits' } }, 'checkpoints quantised by "trits"'],
  ])('is refused with the name of what is wrong: %s', async (_fault, changes, message) => {
    const files = await checkpoint(changes);
    await expect(loadGenerator(files, { backend: 'cpu' })).rejects.toThrow(message);
  });
});
