import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { tensorBytes } from '../../test/tensor_bytes.ts';
import { readSafetensorsHeader } from '../formats/safetensors/header.ts';
import { writeSafetensors } from '../formats/testing/safetensors_file.ts';
import type { TensorToStore } from '../formats/huggingface/write_bitsandbytes.ts';
import { MemorySource } from '../io/memory_source.ts';
import { FormatError, OptionError, UnsupportedError } from '../util/errors.ts';
import {
  inspectCheckpoint,
  loadClassifier,
  quantizeCheckpoint,
  type CheckpointSource,
  type QuantizeOptions,
} from '../node.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const dense = new URL('llama-seqcls/', fixtures);

async function quantized(
  source: CheckpointSource,
  options: QuantizeOptions = {},
): Promise<Map<string, TensorToStore>> {
  const tensors = new Map<string, TensorToStore>();
  for await (const tensor of (await quantizeCheckpoint(source, options)).tensors())
    tensors.set(tensor.name, tensor);
  return tensors;
}

/** The same as files, to be loaded. */
async function asFiles(source: URL, options: QuantizeOptions = {}): Promise<Map<string, Uint8Array>> {
  const { config } = await quantizeCheckpoint(source, options);
  const tensors = [...(await quantized(source, options))].map(
    ([name, { dtype, shape, bytes }]) => [name, { dtype: dtype.toUpperCase(), shape, bytes }] as const,
  );
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(config))],
    ['model.safetensors', writeSafetensors(Object.fromEntries(tensors))],
  ]);
}

describe('quantizeCheckpoint', () => {
  it.each([
    ['llama-seqcls-nf4', true],
    ['llama-seqcls-nf4-plain', false],
  ])('gives every byte that transformers and bitsandbytes stored in %s', async (name, doubleQuantization) => {
    const file = await readFile(new URL(`${name}/model.safetensors`, fixtures));
    const { tensors: expected } = await readSafetensorsHeader(new MemorySource(name, file));
    const found = await quantized(dense, { doubleQuantization });
    expect([...found.keys()].sort()).toEqual(expected.map((entry) => entry.name).sort());
    for (const { name: tensor, dtype, shape, offsetBytes, sizeBytes } of expected) {
      const bytes = file.subarray(offsetBytes, offsetBytes + sizeBytes);
      expect(found.get(tensor)).toMatchObject({ dtype, shape });
      expect(Buffer.compare(found.get(tensor)?.bytes ?? new Uint8Array(), bytes), tensor).toBe(0);
    }
  });

  it('writes the configuration that transformers writes, and names the head that stays in floats', async () => {
    const { config, quantized: names } = await quantizeCheckpoint(dense, { doubleQuantization: true });
    const expected = JSON.parse(
      await readFile(new URL('llama-seqcls-nf4/config.json', fixtures), 'utf8'),
    ) as typeof config;
    const { llm_int8_threshold, ...quantization } = expected['quantization_config'] as Record<
      string,
      unknown
    >;
    expect(llm_int8_threshold).toBe(6);
    expect(config).toEqual({
      ...expected,
      quantization_config: { ...quantization, llm_int8_skip_modules: ['score'] },
    });
    expect(names.length).toBe(3 * 7);
  });

  it('names matrices that are not read here, so that transformers looks for floats there too', async () => {
    const { config, quantized: names } = await quantizeCheckpoint(new URL('bert-embed/', fixtures));
    expect(config['quantization_config']).toMatchObject({
      llm_int8_skip_modules: ['pooler.dense', 'cls.predictions.decoder'],
    });
    expect(names).not.toContain('pooler.dense.weight');
  });

  it.each([
    ['bert-qa', ['qa_outputs', 'pooler.dense', 'cls.predictions.decoder']],
    ['distilbert-seqcls', ['classifier', 'vocab_projector']],
    ['modernbert-seqcls', ['head.dense', 'classifier', 'decoder']],
    ['xlmroberta-embed', ['pooler.dense', 'lm_head.decoder']],
    ['qwen3-lm-tied', ['lm_head']],
    ['llama-lm-bf16', ['lm_head']],
  ])('names the tied modules and poolers that %s has no tensors for', async (name, modules) => {
    const { config } = await quantizeCheckpoint(new URL(`${name}/`, fixtures));
    const { llm_int8_skip_modules: found } = config['quantization_config'] as Record<string, string[]>;
    expect([...(found ?? [])].sort()).toEqual([...modules].sort());
  });

  it('leaves in floats what transformers takes for a module to skip, by the end of its name', async () => {
    const { quantized: names } = await quantizeCheckpoint(new URL('distilbert-seqcls/', fixtures));
    expect(names).toContain('distilbert.transformer.layer.0.ffn.lin1.weight');
    expect(names).not.toContain('pre_classifier.weight');
  });

  it('leaves the spelling of every number in the configuration as it was', async () => {
    const { config, configText } = await quantizeCheckpoint(new URL('modernbert-seqcls/', fixtures));
    expect(JSON.parse(configText)).toEqual(config);
    expect(configText).toMatch(/"initializer_cutoff_factor": 2\.0,\n/);
    const before = await readFile(new URL('modernbert-seqcls/config.json', fixtures), 'utf8');
    expect(configText.startsWith(before.slice(0, before.lastIndexOf('}')).trimEnd())).toBe(true);
  });

  it('keeps embeddings and tied heads, norms and biases, and the types that they were stored in', async () => {
    const names = [...(await quantized(new URL('qwen3-lm-tied/', fixtures))).values()]
      .filter(({ name, dtype }) => dtype === 'f32' && !/\.(absmax|quant_map)$/.test(name))
      .map(({ name }) => name.replace(/layers\.\d+/, 'layers.N'));
    expect([...new Set(names)].sort()).toEqual([
      'model.embed_tokens.weight',
      'model.layers.N.input_layernorm.weight',
      'model.layers.N.post_attention_layernorm.weight',
      'model.layers.N.self_attn.k_norm.weight',
      'model.layers.N.self_attn.q_norm.weight',
      'model.norm.weight',
    ]);
    const bf16 = await quantized(new URL('llama-lm-bf16/', fixtures));
    expect(bf16.get('lm_head.weight')?.dtype).toBe('bf16');
    const state = bf16.get('model.layers.0.mlp.up_proj.weight.quant_state.bitsandbytes__nf4');
    expect(new TextDecoder().decode(state?.bytes)).toBe(
      '{"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [128, 64]}',
    );
  });

  it.each([32, 4096])('makes checkpoints that load, in blocks of %i', async (blockSize) => {
    const files = await asFiles(new URL('llama-seqcls-sharded/', fixtures), { blockSize });
    using model = await loadClassifier(files, { backend: 'cpu' });
    const { logits } = await model.classify({ ids: [5, 6, 7] });
    expect(logits.every(Number.isFinite)).toBe(true);
    const { tensors } = await inspectCheckpoint(files);
    const matrix = tensors.find(({ name }) => name === 'model.layers.0.mlp.up_proj.weight');
    const stateBytes = 77 + String(blockSize).length;
    expect(matrix).toMatchObject({
      dtype: 'nf4',
      shape: [128, 64],
      sizeBytes: 4096 + (8192 / blockSize) * 4 + 64 + stateBytes - 1,
    });
    expect(matrix?.bitsPerWeight).toBe(((matrix?.sizeBytes ?? 0) * 8) / 8192);
  });

  it('keeps tensors without elements and those of one', async () => {
    const file = await readFile(new URL('model.safetensors', dense));
    const { tensors } = await readSafetensorsHeader(new MemorySource('model.safetensors', file));
    const stored = tensors.map(({ name, dtype, shape, offsetBytes, sizeBytes }) => {
      const bytes = file.subarray(offsetBytes, offsetBytes + sizeBytes);
      return [name, { dtype: dtype.toUpperCase(), shape, bytes }] as const;
    });
    const extra = {
      'extra.buffer': { dtype: 'F32', shape: [0], bytes: new Uint8Array() },
      'extra.matrix': { dtype: 'BF16', shape: [3, 0], bytes: new Uint8Array() },
      'extra.number': { dtype: 'I64', shape: [], bytes: Uint8Array.of(7, 0, 0, 0, 0, 0, 0, 0) },
    };
    const files = new Map([
      ['config.json', new Uint8Array(await readFile(new URL('config.json', dense)))],
      ['model.safetensors', writeSafetensors({ ...Object.fromEntries(stored), ...extra })],
    ]);
    const found = await quantized(files);
    for (const [name, { dtype, ...tensor }] of Object.entries(extra))
      expect(found.get(name)).toEqual({ name, dtype: dtype.toLowerCase(), ...tensor });
    expect(found.size).toBe((await quantized(dense)).size + 3);
  });

  it('names a weight that is no finite number', async () => {
    const name = 'model.layers.1.mlp.up_proj.weight';
    const weights = new Uint8Array(await readFile(new URL('model.safetensors', dense)));
    tensorBytes(weights, name).set(new Uint8Array(Float32Array.of(0, -Infinity).buffer));
    const files = new Map([
      ['config.json', new Uint8Array(await readFile(new URL('config.json', dense)))],
      ['model.safetensors', weights],
    ]);
    await expect(quantized(files)).rejects.toThrow(
      new FormatError('model.safetensors', `tensor ${name}: expected finite numbers, found -Infinity at 1`),
    );
  });

  it('refuses blocks that bitsandbytes does not know, and what is quantised already', async () => {
    await expect(quantizeCheckpoint(dense, { blockSize: 48 })).rejects.toThrow(OptionError);
    await expect(quantizeCheckpoint(dense, { doubleQuantization: 'yes' as never })).rejects.toThrow(
      new OptionError('doubleQuantization', 'true or false', '"yes"'),
    );
    await expect(quantizeCheckpoint(new URL('llama-seqcls-nf4/', fixtures))).rejects.toThrow(
      UnsupportedError,
    );
  });
});
