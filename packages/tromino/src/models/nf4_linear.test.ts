import { describe, expect, it } from 'vitest';
import { readWeightIndex } from '../formats/checkpoint_index.ts';
import type { Nf4Matrix, TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import type { StoredTensor } from '../graph/graph.ts';
import { openCheckpoint, setFolderOpener } from '../io/checkpoint_files.ts';
import { openFolder } from '../io/node/folder.ts';
import { MemorySource } from '../io/memory_source.ts';
import { ops } from '../kernels/index.ts';
import { nf4Map } from '../tensor/nf4.ts';
import { must } from '../util/assert.ts';
import { continuesNf4Stack, nf4Assembly } from './nf4_linear.ts';
import { WeightList } from './weight_list.ts';

setFolderOpener(openFolder);

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);

async function readStored({ name, dtype, shape, source, offsetBytes, sizeBytes }: TensorEntry): Promise<StoredTensor> {
  return { name, dtype, shape, bytes: await source.read(offsetBytes, sizeBytes) };
}

/** Multiplies the identity by the packed matrix, so that what comes out is the matrix as the op sees it. */
async function unpack(index: WeightIndex, matrices: readonly Nf4Matrix[]): Promise<Float32Array> {
  const assembly = nf4Assembly({ codes: 'codes', scales: 'scales' }, matrices);
  const entries = assembly.tensors.map(({ tensor }) => must(index.tensors.get(tensor), tensor));
  const { codes, scales } = assembly.assemble(await Promise.all(entries.map(readStored)));
  const { columns: k, blockSize, map } = must(matrices[0], 'matrix');
  const n = matrices.reduce((sum, { rows }) => sum + rows, 0);
  const identity = new Float32Array(k * k);
  for (let i = 0; i < k; i++) identity[i * k + i] = 1;
  const transposed = new Float32Array(k * n);
  ops.matmul_nf4.reference(
    { m: k, n, k, columnOffset: 0, numColumns: n, hasBias: false, hasResidual: false, blockSize },
    {
      a: identity,
      codes: must(codes, 'codes'),
      scales: must(scales, 'scales'),
      quant_map: Float32Array.from(map),
      out: transposed,
    },
  );
  return Float32Array.from({ length: n * k }, (_, i) => must(transposed[(i % k) * n + Math.floor(i / k)], 'weight'));
}

function bits(values: Float32Array): number[] {
  return [...new Uint32Array(values.buffer, values.byteOffset, values.length)];
}

describe.each(['llama-seqcls-nf4', 'llama-seqcls-nf4-plain'])('layer 0 of %s', (name) => {
  it('has the weights that bitsandbytes makes of it, alone and stacked', async () => {
    const folder = new URL(`${name}/`, fixtures);
    const index = await readWeightIndex(openCheckpoint(folder));
    const source = new Map([['model.safetensors', await readFixture(folder, 'dequantized-layer0.safetensors')]]);
    const { tensors } = await readWeightIndex(openCheckpoint(source));
    expect(tensors.size).toBe(7);
    const expectedOf = async (tensor: string): Promise<Float32Array> => {
      const { bytes } = await readStored(must(tensors.get(tensor), tensor));
      return new Float32Array(bytes.slice().buffer);
    };
    for (const tensor of tensors.keys()) {
      const found = await unpack(index, [must(index.nf4.get(tensor), tensor)]);
      expect(bits(found), tensor).toEqual(bits(await expectedOf(tensor)));
    }
    const stack = ['q', 'k', 'v'].map((letter) => `model.layers.0.self_attn.${letter}_proj.weight`);
    const found = await unpack(index, stack.map((tensor) => must(index.nf4.get(tensor), tensor)));
    const expected = await Promise.all(stack.map(expectedOf));
    expect(bits(found)).toEqual(expected.flatMap(bits));
  });
});

async function readFixture(folder: URL, name: string): Promise<Uint8Array> {
  const source = must(await openCheckpoint(folder).open(name), name);
  return source.read(0, source.sizeBytes);
}

const source = new MemorySource('a.safetensors', new Uint8Array());

/** A matrix without data: enough to decide what becomes of it. */
function matrix(name: string, rows: number, columns: number, blockSize = 64, map = nf4Map): Nf4Matrix {
  const entry = (suffix: string): TensorEntry => ({
    name: `${name}${suffix}`,
    dtype: 'u8',
    shape: [1],
    source,
    offsetBytes: 0,
    sizeBytes: 1,
  });
  return {
    rows,
    columns,
    blockSize,
    map,
    mapEntry: entry('.quant_map'),
    codes: entry(''),
    scales: entry('.absmax'),
    nested: undefined,
    state: entry('.quant_state.bitsandbytes__nf4'),
  };
}

describe('continuesNf4Stack', () => {
  const first = matrix('a', 6, 96);

  it('joins matrices with the same blocks and values', () => {
    expect(continuesNf4Stack([], first)).toBe(true);
    expect(continuesNf4Stack([first], matrix('b', 5, 96))).toBe(true);
    expect(continuesNf4Stack([matrix('a', 3, 128)], matrix('b', 5, 128))).toBe(true);
  });

  it('ends before other blocks, other values, and in the middle of a block', () => {
    expect(continuesNf4Stack([first], matrix('b', 5, 96, 128))).toBe(false);
    expect(continuesNf4Stack([first], matrix('b', 5, 96, 64, [...nf4Map.slice(1), 2]))).toBe(false);
    expect(continuesNf4Stack([first, matrix('b', 5, 96)], matrix('c', 5, 96))).toBe(false);
  });
});

describe('WeightList', () => {
  const modules = (...names: string[]): { module: string; rows: number }[] => names.map((module) => ({ module, rows: 4 }));

  it('makes one piece of a stack in NF4, and one weight of equal values', () => {
    const matrices = ['a', 'b', 'c'].map((name): [string, Nf4Matrix] => [`${name}.weight`, matrix(`${name}.weight`, 4, 64)]);
    const list = new WeightList({ nf4: new Map(matrices), bitnet: undefined });
    const { pieces } = list.stackedLinear('ab', 64, modules('a', 'b'), false);
    list.linear('c', 64, 4, true);
    expect(pieces).toEqual([
      {
        format: 'nf4',
        codes: 'ab.weight.codes',
        scales: 'ab.weight.scales',
        map: 'a.weight.quant_map',
        blockSize: 64,
        firstColumn: 0,
        numColumns: 8,
      },
    ]);
    expect(list.specs.map(({ name, dtype, shape }) => [name, dtype, ...shape])).toEqual([
      ['ab.weight.codes', 'u32', 64],
      ['ab.weight.scales', 'f32', 8],
      ['a.weight.quant_map', 'f32', 1],
      ['c.weight.codes', 'u32', 32],
      ['c.weight.scales', 'f32', 4],
      ['c.bias', 'f32', 4],
    ]);
  });

  it('makes pieces of parts that are stored differently', () => {
    const list = new WeightList({ nf4: new Map([['model.b.weight', matrix('model.b.weight', 4, 64)]]), bitnet: undefined });
    const { pieces } = list.stackedLinear('abcd', 64, modules('a', 'model.b', 'c', 'd'), false);
    expect(pieces.map(({ format, firstColumn, numColumns }) => [format, firstColumn, numColumns])).toEqual([
      ['dense', 0, 4],
      ['nf4', 4, 4],
      ['dense', 8, 8],
    ]);
    expect(list.specs.map(({ name }) => name)).toEqual([
      'a.weight',
      'model.b.weight.codes',
      'model.b.weight.scales',
      'model.b.weight.quant_map',
      'c.weight',
    ]);
  });

  it('names a matrix of another shape than the config promises', () => {
    const list = new WeightList({ nf4: new Map([['b.weight', matrix('b.weight', 4, 64)]]), bitnet: undefined });
    expect(() => list.linear('model.b', 64, 5, false)).toThrow(
      'a.safetensors: tensor b.weight in NF4: expected [5, 64], found [4, 64]',
    );
  });
});
