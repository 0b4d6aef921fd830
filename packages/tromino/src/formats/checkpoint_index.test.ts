import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../io/checkpoint_files.ts';
import { FormatError, SourceError } from '../util/errors.ts';
import { readWeightIndex } from './checkpoint_index.ts';
import { writeSafetensors } from './testing/safetensors_file.ts';
import type { WeightIndex } from './weight_index.ts';

type Files = Readonly<Record<string, Uint8Array | object>>;

async function read(contentOf: Files, canList = true): Promise<WeightIndex> {
  const contents = Object.entries(contentOf).map(([name, content]): [string, Uint8Array] => {
    return [
      name,
      content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content)),
    ];
  });
  const files = openCheckpoint(new Map(contents));
  const unlisted = { description: files.description, open: (name: string) => files.open(name) };
  return await readWeightIndex(canList ? files : unlisted);
}

function shard(...names: string[]): Uint8Array {
  const tensor = { dtype: 'F16', shape: [2], bytes: new Uint8Array(4) };
  return writeSafetensors(Object.fromEntries(names.map((name) => [name, tensor])));
}

const indexFile = 'model.safetensors.index.json';
const index = { weight_map: { a: 's1.safetensors', b: 's2.safetensors' } };

describe('readWeightIndex', () => {
  it('reads one file', async () => {
    const { tensors, totalBytes } = await read({ 'model.safetensors': shard('a', 'b') });
    expect([...tensors.keys()]).toEqual(['a', 'b']);
    expect(totalBytes).toBe(8);
  });

  it('reads shards', async () => {
    const { tensors, totalBytes } = await read({
      [indexFile]: index,
      's1.safetensors': shard('a'),
      's2.safetensors': shard('b'),
    });
    expect([...tensors.values()].map(({ name, source }) => [name, source.name])).toEqual([
      ['a', 's1.safetensors'],
      ['b', 's2.safetensors'],
    ]);
    expect(totalBytes).toBe(8);
  });

  it.each<[string, Files, string]>([
    [
      'index names an absent shard',
      { [indexFile]: index, 's1.safetensors': shard('a') },
      's2.safetensors: model.safetensors.index.json lists this shard, found none in 2 files in memory',
    ],
    [
      'shard lacks a listed tensor',
      {
        [indexFile]: { weight_map: { ...index.weight_map, c: 's2.safetensors' } },
        's1.safetensors': shard('a'),
        's2.safetensors': shard('b'),
      },
      'model.safetensors.index.json: tensor c: expected in s2.safetensors, found in none of the shards',
    ],
    [
      'shard has a tensor that is not listed',
      { [indexFile]: index, 's1.safetensors': shard('a', 'x'), 's2.safetensors': shard('b') },
      's1.safetensors: tensor x is not listed in model.safetensors.index.json',
    ],
    [
      'tensor is in two shards',
      { [indexFile]: index, 's1.safetensors': shard('a'), 's2.safetensors': shard('b', 'a') },
      's2.safetensors: tensor a is also in s1.safetensors: expected it once',
    ],
    [
      'tensor is in another shard than listed',
      {
        [indexFile]: { weight_map: { a: 's2.safetensors', b: 's1.safetensors' } },
        's1.safetensors': shard('a'),
        's2.safetensors': shard('b'),
      },
      'model.safetensors.index.json: tensor a: expected in s2.safetensors, found in s1.safetensors',
    ],
    [
      'index is empty',
      { [indexFile]: { weight_map: {} } },
      'model.safetensors.index.json: expected a weight_map, found {}',
    ],
    ['index has no map', { [indexFile]: { metadata: {} } }, 'expected a weight_map, found nothing'],
    [
      'shard name is a number',
      { [indexFile]: { weight_map: { a: 1 } } },
      'expected the name of a shard, found 1',
    ],
    [
      'shard name leads out',
      { [indexFile]: { weight_map: { a: '../s' } } },
      'expected the name of a shard, found "../s"',
    ],
    [
      'index is absent and shards are there',
      { 'model-00001-of-00002.safetensors': shard('a'), 'model-00002-of-00002.safetensors': shard('b') },
      'model.safetensors.index.json: expected this index of the shards model-00001-of-00002.safetensors, model-00002-of-00002',
    ],
    [
      'weights are pickled',
      { 'pytorch_model.bin': new Uint8Array(9) },
      'model.safetensors: expected weights as safetensors, found only pytorch_model.bin',
    ],
    ['file has another name', { 'weights.safetensors': shard('a') }, 'found only weights.safetensors'],
    [
      'there is nothing',
      { 'config.json': {} },
      'model.safetensors: expected this or model.safetensors.index.json in 1 files in memory, found neither',
    ],
  ])('says so when the %s', async (_, files, message) => {
    const reading = read(files);
    await expect(reading).rejects.toSatisfy(
      (error) => error instanceof FormatError || error instanceof SourceError,
    );
    await expect(reading).rejects.toThrow(message);
  });

  it('finds pickled weights also where files cannot be listed', async () => {
    await expect(read({ 'pytorch_model.bin': new Uint8Array(9) }, false)).rejects.toThrow(
      'found only pytorch_model.bin',
    );
    await expect(read({}, false)).rejects.toThrow('found neither');
  });

  it('reads a sharded checkpoint as another library wrote it', async () => {
    const folder = new URL('../../test/fixtures/checkpoints/llama-seqcls-sharded/', import.meta.url);
    const names = await readdir(folder);
    const contents = await Promise.all(names.map((name) => readFile(new URL(name, folder))));
    const { tensors, totalBytes, metadata } = await readWeightIndex(
      openCheckpoint(new Map(names.map((name, i) => [name, contents[i] ?? new Uint8Array(0)]))),
    );
    expect(tensors.size).toBe(30);
    expect(totalBytes).toBe(528_128);
    expect(metadata.get('format')).toBe('pt');
    expect(tensors.get('model.embed_tokens.weight')).toMatchObject({ dtype: 'f32', shape: [320, 64] });
  });
});
