import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { tensorBytes } from '../../test/tensor_bytes.ts';
import { readSafetensorsHeader } from '../formats/safetensors/header.ts';
import { writeSafetensors, type TestTensor } from '../formats/testing/safetensors_file.ts';
import { MemorySource } from '../io/memory_source.ts';
import {
  FormatError,
  inspectCheckpoint,
  loadClassifier,
  loadEmbedder,
  loadGenerator,
  UnsupportedError,
} from '../node.ts';
import { storeInNf4 } from '../../test/nf4_tensors.ts';

const folder = new URL('../../test/fixtures/checkpoints/llama-seqcls-nf4/', import.meta.url);

type Tensors = Record<string, TestTensor>;

async function readTensors(file: string): Promise<Tensors> {
  const bytes = await readFile(new URL(file, folder));
  const { tensors } = await readSafetensorsHeader(new MemorySource(file, bytes));
  return Object.fromEntries(
    tensors.map(({ name, dtype, shape, offsetBytes, sizeBytes }) => [
      name,
      { dtype: dtype.toUpperCase(), shape, bytes: bytes.subarray(offsetBytes, offsetBytes + sizeBytes) },
    ]),
  );
}

/** The checkpoint with some tensors changed or, where undefined, left out. */
async function changed(
  changes: Readonly<Record<string, TestTensor | undefined>>,
): Promise<Map<string, Uint8Array>> {
  const entries = Object.entries({ ...(await readTensors('model.safetensors')), ...changes });
  const kept = entries.filter((entry): entry is [string, TestTensor] => entry[1] !== undefined);
  return new Map([
    ['config.json', await readFile(new URL('config.json', folder))],
    ['model.safetensors', writeSafetensors(Object.fromEntries(kept))],
  ]);
}

/** A checkpoint in which some f32 tensors begin with other numbers. */
async function written(
  name: string,
  values: Readonly<Record<string, readonly number[]>>,
): Promise<Map<string, Uint8Array>> {
  const read = (file: string): Promise<Uint8Array> => readFile(new URL(`../${name}/${file}`, folder));
  const weights = Uint8Array.from(await read('model.safetensors'));
  for (const [tensor, numbers] of Object.entries(values)) {
    const bytes = tensorBytes(weights, tensor);
    bytes.set(new Uint8Array(Float32Array.from(numbers).buffer));
  }
  return new Map([
    ['config.json', await read('config.json')],
    ['model.safetensors', weights],
  ]);
}

const input = { ids: [5, 6, 7, 8, 9] };

describe('a classifier in NF4', () => {
  it('keeps to 4.6 bits a weight, scales that were quantised again included', async () => {
    const checkpoint = await inspectCheckpoint(folder);
    const { weights } = checkpoint.planFor(1);
    const quantised = weights.filter(({ weight }) => /\.(codes|scales|quant_map)$/.test(weight));
    const quantisedBytes = quantised.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    // Three layers of q, k, v, o, gate, up and down at hidden size 64, 2 key heads of 16 and 128 inside.
    const numWeights = 3 * (64 * 64 + 2 * 32 * 64 + 64 * 64 + 3 * 128 * 64);
    expect((quantisedBytes * 8) / numWeights).toBeCloseTo(4.5, 1);
    expect((quantisedBytes * 8) / numWeights).toBeLessThan(4.6);
    using model = await loadClassifier(folder, { backend: 'cpu' });
    const denseBytes = 4 * (320 * 64 + 8 * 64 + 7 * 64);
    expect(model.memory().categories.weights.currentBytes).toBe(quantisedBytes + denseBytes);
  });

  it('gives the same scores where one matrix of a stack is left in floats', async () => {
    const name = 'model.layers.0.self_attn.k_proj.weight';
    const { [name]: floats } = await readTensors('dequantized-layer0.safetensors');
    const left = [
      'absmax',
      'nested_absmax',
      'nested_quant_map',
      'quant_map',
      'quant_state.bitsandbytes__nf4',
    ];
    const changes = Object.fromEntries(left.map((suffix) => [`${name}.${suffix}`, undefined]));
    using mixed = await loadClassifier(await changed({ ...changes, [name]: floats }), { backend: 'cpu' });
    using whole = await loadClassifier(await changed({}), { backend: 'cpu' });
    const labels = (model: typeof mixed): string[] =>
      model
        .plan(5)
        .steps.flatMap((step) =>
          step.kind === 'dispatch' && /layers\.0.*qkv/.test(step.label) ? [step.op] : [],
        );
    expect(labels(whole)).toEqual(['matmul_nf4']);
    expect(labels(mixed)).toEqual(['matmul_nf4', 'matmul', 'matmul_nf4']);
    expect((await mixed.classify(input)).logits).toEqual((await whole.classify(input)).logits);
  });

  const projection = 'model.layers.1.mlp.up_proj.weight';

  it.each([
    ['llama-seqcls-nf4-plain', 'absmax', NaN],
    ['llama-seqcls-nf4-plain', 'absmax', -Infinity],
    ['llama-seqcls-nf4', 'nested_absmax', NaN],
    ['llama-seqcls-nf4', 'nested_quant_map', Infinity],
  ])('of %s names a tensor %s that begins with %f', async (name, suffix, value) => {
    const files = await written(name, { [`${projection}.${suffix}`]: [value] });
    const loading = loadClassifier(files, { backend: 'cpu' });
    await expect(loading).rejects.toThrow(FormatError);
    await expect(loading).rejects.toThrow(
      `tensor ${projection}.${suffix}: element 0: expected a finite number, found ${value}`,
    );
  });

  it('names a map with an element that is no number', async () => {
    const files = await written('llama-seqcls-nf4', { [`${projection}.quant_map`]: [0, NaN] });
    await expect(loadClassifier(files, { backend: 'cpu' })).rejects.toThrow(
      `tensor ${projection}.quant_map: expected 16 finite numbers, found NaN at 1`,
    );
  });

  it('names scales whose product is too large for f32', async () => {
    const files = await written('llama-seqcls-nf4', {
      [`${projection}.nested_quant_map`]: new Array<number>(256).fill(-2),
      [`${projection}.nested_absmax`]: [3e38],
    });
    await expect(loadClassifier(files, { backend: 'cpu' })).rejects.toThrow(
      `tensor ${projection}.absmax: element 0: expected a finite number, found -Infinity`,
    );
  });

  it('names a tensor whose quant_state is gone', async () => {
    const name = 'model.layers.1.mlp.up_proj.weight';
    const changes = { [`${name}.quant_state.bitsandbytes__nf4`]: undefined };
    await expect(loadClassifier(await changed(changes), { backend: 'cpu' })).rejects.toThrow(
      `expected ${name}.quant_state.bitsandbytes__nf4 beside it, found none`,
    );
  });
});

describe('a table of tokens in NF4', () => {
  /** A fixture with some tensors in NF4, and with what they are as floats. */
  async function twoOf(
    name: string,
    tensors: readonly string[],
    blockSize: number,
  ): Promise<Record<'packed' | 'dense', Map<string, Uint8Array<ArrayBuffer>>>> {
    const read = (file: string): Promise<Buffer<ArrayBuffer>> =>
      readFile(new URL(`../${name}/${file}`, folder));
    const { packed, dense } = await storeInNf4(await read('model.safetensors'), tensors, blockSize);
    const config = await read('config.json');
    const files = (weights: Uint8Array<ArrayBuffer>): Map<string, Uint8Array<ArrayBuffer>> =>
      new Map([
        ['config.json', config],
        ['model.safetensors', weights],
      ]);
    return { packed: files(packed), dense: files(dense) };
  }

  it('stays packed, and gives the scores of the same table in floats', async () => {
    const { packed, dense } = await twoOf('llama-seqcls', ['model.embed_tokens.weight'], 64);
    using inFloats = await loadClassifier(dense, { backend: 'cpu' });
    using inNf4 = await loadClassifier(packed, { backend: 'cpu' });
    expect((await inNf4.classify(input)).logits).toEqual((await inFloats.classify(input)).logits);
    const [largeBytes, smallBytes] = [inFloats, inNf4].map(
      (model) => model.memory().categories.weights.currentBytes,
    );
    // 320 x 64 weights: 4 bytes each, or half a byte, a scale for 64 and the 16 values.
    expect(Number(largeBytes) - Number(smallBytes)).toBe(320 * 64 * 4 - (320 * 32 + 320 * 4 + 64));
  });

  it('scores tokens too where the head is tied to it', async () => {
    const { packed, dense } = await twoOf('llama-lm-tied', ['model.embed_tokens.weight'], 32);
    using inFloats = await loadGenerator(dense, { backend: 'cpu' });
    using inNf4 = await loadGenerator(packed, { backend: 'cpu' });
    expect(await inNf4.lastLogits(input)).toEqual(await inFloats.lastLogits(input));
    const ops = inNf4.plan(5).steps.flatMap((step) => (step.kind === 'dispatch' ? [step.op] : []));
    expect([ops[0], ops.at(-1)]).toEqual(['embedding_nf4', 'matmul_nf4']);
  });

  it.each([
    ['words alone', ['embeddings.word_embeddings.weight']],
    ['all three', ['word', 'position', 'token_type'].map((table) => `embeddings.${table}_embeddings.weight`)],
  ])('is added to what an encoder has for segments and positions: %s', async (_, tensors) => {
    const { packed, dense } = await twoOf('bert-embed', tensors, 64);
    using inFloats = await loadEmbedder(dense, { backend: 'cpu' });
    using inNf4 = await loadEmbedder(packed, { backend: 'cpu' });
    const pair = { ids: [5, 6, 7, 8, 9], tokenTypes: [0, 0, 1, 1, 1] };
    const [expected, found] = [await inFloats.embed(pair), await inNf4.embed(pair)];
    const difference = found.map((value, i) => Math.abs(value - (expected[i] ?? NaN)));
    // The sum's two additions are rounded one by one on a GPU in either case, and only here not.
    expect(Math.max(...difference)).toBeLessThan(1e-6);
  });

  it('names one that is read as floats alone', async () => {
    const name = 'deberta.encoder.rel_embeddings.weight';
    const { packed } = await twoOf('deberta-v2-seqcls', [name], 64);
    const loading = loadClassifier(packed, { backend: 'cpu' });
    await expect(loading).rejects.toThrow(UnsupportedError);
    await expect(loading).rejects.toThrow(
      `tensor ${name}: stored in NF4; only projections and tables of tokens may be`,
    );
  });
});
