import { describe, expect, it } from 'vitest';
import { ConfigReader } from '../formats/huggingface/config_reader.ts';
import type { JsonObject } from '../formats/json.ts';
import type { TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import { defineModel } from './registry.ts';

function indexOf(...names: string[]): WeightIndex {
  const tensors = new Map(names.map((name) => [name, { name } as TensorEntry]));
  return { tensors, nf4: new Map(), totalBytes: 0, metadata: new Map() };
}

const small = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 100,
};

function define(config: JsonObject, ...tensors: string[]): ReturnType<typeof defineModel> {
  return defineModel(new ConfigReader('config.json', config), indexOf(...tensors), undefined);
}

const batch = { numTokens: 3, numRows: 1, maxRowTokens: 3, numPositions: 3 };

function problems(config: JsonObject, op: string): readonly unknown[] {
  const { nodes } = define(config, 'lm_head.weight').graph(batch);
  return nodes.filter((node) => node.op === op).map((node) => node.problem);
}

function frequencies(config: JsonObject): readonly number[] {
  const { values } = define(config, 'lm_head.weight').graph(batch);
  const table = values.find(({ name }) => name === 'rope_table');
  const recipe = table?.origin.kind === 'constant' ? table.origin.recipe : undefined;
  return recipe?.kind === 'rope_table' ? recipe.inverseFrequencies : [];
}

describe('defineModel', () => {
  it('takes what the family takes for fields that are left out', () => {
    const { maxTokens, weights } = define(small, 'lm_head.weight');
    expect(maxTokens).toBe(2048);
    expect(weights.find(({ name }) => name.endsWith('0.self_attn.qkv_proj.weight'))?.shape).toEqual([192, 64]);
  });

  it('reads the rotation of transformers 4 and 5 alike', () => {
    const scaling = { factor: 8, high_freq_factor: 4, low_freq_factor: 1, original_max_position_embeddings: 64 };
    const five = { ...small, rope_parameters: { ...scaling, rope_type: 'llama3', rope_theta: 5e5 } };
    const four = { ...small, rope_theta: 5e5, rope_scaling: { ...scaling, rope_type: 'llama3' } };
    const earlier = { ...small, rope_theta: 5e5, rope_scaling: { ...scaling, type: 'llama3' } };
    expect(frequencies(five)).toHaveLength(8);
    // Computed by hand from the formula: the shortest wave (2 pi) is kept, the longest is divided by 8.
    expect(frequencies(five)[0]).toBe(1);
    expect(frequencies(five)[7]).toBeCloseTo(5e5 ** (-14 / 16) / 8, 12);
    expect(frequencies(four)).toEqual(frequencies(five));
    expect(frequencies(earlier)).toEqual(frequencies(five));
  });

  it('takes a rope_scaling that stands beside rope_parameters instead of them, as transformers does', () => {
    const both = { ...small, rope_parameters: { rope_type: 'default', rope_theta: 5e5 } };
    const linear = { rope_type: 'linear', factor: 4 };
    // Its own base, else the common one, else the family's 10,000: never that of the parameters it replaces. The second of 8 pairs turns by
    // base ^ (-1 / 8): 1/2 for 256, and 1/8 with the factor.
    const scaled = (rope: object, added: object = {}): number | undefined =>
      frequencies({ ...both, rope_scaling: { ...linear, ...rope }, ...added })[1];
    expect(scaled({ rope_theta: 256 })).toBe(0.125);
    expect(scaled({}, { rope_theta: 256 })).toBe(0.125);
    expect(scaled({})).toBeCloseTo(10_000 ** -0.125 / 4, 7);
    expect(frequencies({ ...both, rope_scaling: {} })).toEqual(frequencies(both));
    expect(frequencies({ ...both, rope_scaling: null })).toEqual(frequencies(both));
  });

  it('has as many key heads as query heads where their number is null', () => {
    for (const [model_type, className] of [['mistral', 'Mistral'], ['qwen2', 'Qwen2'], ['bitnet', 'BitNet']] as const) {
      const config = { ...small, model_type, architectures: [`${className}ForCausalLM`], num_key_value_heads: null };
      expect(problems(config, 'attention')).toMatchObject([{ numKeyHeads: 4 }, { numKeyHeads: 4 }]);
    }
  });

  it('divides by the factor for linear scaling', () => {
    const linear = { ...small, rope_scaling: { type: 'linear', factor: 4 } };
    expect(frequencies(linear)[0]).toBe(0.25);
  });

  it('windows every mistral layer by 4096 where the field is left out, by none where it is null', () => {
    const mistral = { ...small, model_type: 'mistral', architectures: ['MistralForCausalLM'], num_key_value_heads: 2 };
    expect(problems(mistral, 'attention')).toMatchObject([{ window: 4096 }, { window: 4096 }]);
    expect(problems({ ...mistral, sliding_window: null }, 'attention')).toMatchObject([{ window: 0 }, { window: 0 }]);
    expect(problems({ ...mistral, sliding_window: 8 }, 'attention')).toMatchObject([{ window: 8 }, { window: 8 }]);
  });

  it('windows qwen2 layers only where the config uses it, from max_window_layers on or by layer_types', () => {
    const qwen = { ...small, model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'], num_key_value_heads: 2 };
    const on = { ...qwen, use_sliding_window: true, sliding_window: 8 };
    expect(problems({ ...qwen, sliding_window: 8 }, 'attention')).toMatchObject([{ window: 0 }, { window: 0 }]);
    expect(problems({ ...on, max_window_layers: 1 }, 'attention')).toMatchObject([{ window: 0 }, { window: 8 }]);
    const types = { ...on, layer_types: ['sliding_attention', 'full_attention'] };
    expect(problems(types, 'attention')).toMatchObject([{ window: 8 }, { window: 0 }]);
  });

  const gemma = { ...small, model_type: 'gemma3_text', architectures: ['Gemma3ForCausalLM'], num_hidden_layers: 3, head_dim: 16 };

  it('refuses heads of modernbert that cannot be rotated', () => {
    const modern = { model_type: 'modernbert', architectures: ['ModernBertModel'], hidden_size: 21 };
    expect(() => define({ ...modern, num_attention_heads: 3 })).toThrow(
      'hidden_size: expected an even number for each of num_attention_heads (3), as it is rotated, found 21',
    );
  });

  it("takes gemma3's class with a head for texts by its own name", () => {
    const architectures = ['Gemma3TextForSequenceClassification'];
    expect(define({ ...gemma, architectures }, 'score.weight').head).toBe('classifier');
    const withImages = ['Gemma3ForSequenceClassification'];
    expect(() => define({ ...gemma, architectures: withImages }, 'score.weight')).toThrow(
      'known are Gemma3ForCausalLM, Gemma3TextForSequenceClassification',
    );
  });

  it('gives each kind of gemma3 layer its window and its rotation, as transformers 4 and 5 write them', () => {
    const four = { ...gemma, sliding_window: 8, sliding_window_pattern: 3, rope_theta: 5e5, rope_local_base_freq: 2e3 };
    const scaling = { rope_type: 'linear', factor: 8 };
    const five = {
      ...gemma,
      sliding_window: 8,
      layer_types: ['sliding_attention', 'sliding_attention', 'full_attention'],
      rope_parameters: {
        full_attention: { ...scaling, rope_theta: 5e5 },
        sliding_attention: { rope_type: 'default', rope_theta: 2e3 },
      },
    };
    // A scaling that transformers 4 writes for all is for the layers that see everything.
    expect(define(five).graph(batch)).toEqual(define({ ...four, rope_scaling: scaling }).graph(batch));
    const { sliding_attention } = five.rope_parameters;
    const plain = { sliding_attention, full_attention: { rope_type: 'default', rope_theta: 5e5 } };
    const both = { ...five, rope_parameters: plain, rope_scaling: scaling };
    expect(define(both).graph(batch)).toEqual(define(five).graph(batch));
    expect(problems(four, 'attention')).toMatchObject([{ window: 8 }, { window: 8 }, { window: 0 }]);
    expect(problems(four, 'attention')[0]).toMatchObject({ scale: 1 / 16 });
    expect(problems(four, 'embedding')).toMatchObject([{ scale: 8 }]);
    // Layers of one kind share a table: two of them, the windowed layers' first.
    const tables = define(four).graph(batch).values.filter(({ name }) => name.startsWith('rope_table'));
    expect(tables).toHaveLength(2);
    expect(frequencies(four)[1]).toBe(Math.fround(2e3 ** -0.125));
  });

  it('adds 1 to the weights of gemma3 norms, and norms what is added to the residual', () => {
    const { weights } = define(gemma);
    const norm = weights.find(({ name }) => name === 'model.layers.1.post_feedforward_layernorm.weight');
    if (!norm || !('assembly' in norm)) throw new Error('no assembly');
    const stored = { name: norm.name, dtype: 'f32', shape: [2], bytes: new Uint8Array(Float32Array.of(0.5, -1).buffer) } as const;
    expect([...(norm.assembly.assemble([stored])[norm.name] ?? [])].slice(0, 2)).toEqual([1.5, 0]);
    expect(problems(gemma, 'add')).toHaveLength(6);
  });

  it.each([
    [{ final_logit_softcapping: 30 }, 'final_logit_softcapping: only null is supported'],
    [{ use_bidirectional_attention: true }, 'use_bidirectional_attention: only false is supported'],
  ])('refuses gemma3 with %j', (change, message) => {
    expect(() => define({ ...gemma, ...change })).toThrow(message);
  });

  it('takes a head of its own where the files have one, the embedding where the config ties it', () => {
    const tied = { ...small, tie_word_embeddings: true };
    expect(define(tied, 'lm_head.weight').weights.some(({ name }) => name === 'lm_head.weight')).toBe(true);
    expect(define(tied).weights.some(({ name }) => name === 'lm_head.weight')).toBe(false);
    expect(() => define(small)).toThrow('tie_word_embeddings is false, but the checkpoint has no tensor lm_head.weight');
  });

  it.each([
    [{ ...small, model_type: 'gpt9' }, 'model_type: "gpt9" is not known'],
    [{ ...small, model_type: 'toString' }, 'model_type: "toString" is not known'],
    [{ ...small, hidden_act: 'quick_gelu' }, 'hidden_act: activation "quick_gelu" is not known'],
    [{ ...small, rope_scaling: { type: 'yarn', factor: 2 } }, 'rope_type: "yarn" is not known'],
    [{ ...small, architectures: ['LlamaForTokenClassification'] }, '"LlamaForTokenClassification" is not known'],
    [{ ...small, num_key_value_heads: 3 }, 'expected a multiple of num_key_value_heads (3), found 4'],
    [{ ...small, hidden_size: '64' }, 'hidden_size: expected a whole number'],
    [{ ...small, quantization_config: { quant_method: 'gptq' } }, 'checkpoints quantised by "gptq" are not supported'],
  ])('refuses %j', (config, message) => {
    expect(() => define(config, 'lm_head.weight')).toThrow(message);
  });

  it.each([
    ['more layers than can be', { num_hidden_layers: 2 ** 40 }, 'num_hidden_layers: expected a whole number, at least 1, at most 10000'],
    ['more heads than columns', { num_attention_heads: 128 }, 'head_dim: expected an even number from 2 for the rotation, found 0'],
    ['a base that gives no finite frequencies', { rope_theta: 1e-320 }, 'rope_theta: expected a number, at least 0.001'],
    ['a factor that gives none', { rope_scaling: { type: 'linear', factor: 1e-320 } }, 'rope_scaling.factor: expected'],
    [
      'a blend between nothing',
      { rope_scaling: { rope_type: 'llama3', factor: 8, low_freq_factor: 4, high_freq_factor: 4 } },
      'rope_scaling.high_freq_factor: expected more than low_freq_factor (4), found 4',
    ],
    [
      'a rotation for each kind of layer',
      { rope_parameters: { full_attention: { rope_theta: 1e6 }, sliding_attention: { rope_theta: 1e4 } } },
      'rope parameters of full_attention: one rotation for all layers is supported here',
    ],
  ])('refuses %s', (_, change, message) => {
    expect(() => define({ ...small, ...change }, 'lm_head.weight')).toThrow(message);
  });

  it('refuses a number of labels that cannot be', () => {
    const config = { ...small, architectures: ['LlamaForSequenceClassification'], num_labels: 2 ** 40 };
    expect(() => define(config)).toThrow('num_labels: expected a whole number, at least 1, at most 1000000');
  });
});

describe('MagicBox', () => {
  const box = {
    ...small,
    model_type: 'magicbox',
    architectures: ['MagicBoxForExtraction'],
    cls_token_id: 2,
    sep_token_id: 3,
    question_token_id: 4,
    pointer_size: 16,
  };

  it('is the layers of BitNet with every token seeing its whole row, and a head that points', () => {
    const definition = define(box);
    const { head, batchRules, questionTokens, weights, outputs } = definition;
    expect([head, batchRules.questionMarker, outputs.map(({ per }) => per)]).toEqual(['extractor', 4, ['question', 'pair']]);
    expect(questionTokens).toEqual({ first: 2, marker: 4, separator: 3 });
    expect(weights.find(({ name }) => name === 'pointer.weight')).toMatchObject({
      shape: [64, 64],
      parts: ['start_question', 'end_question', 'start_token', 'end_token'].map((part) => ({
        tensor: `pointer.${part}.weight`,
        shape: [16, 64],
      })),
    });
    const { nodes } = definition.graph({ ...batch, numQuestions: 2, numPairs: 6 });
    const attentions = nodes.filter(({ op }) => op === 'attention').map(({ problem }) => problem['causal']);
    expect(attentions).toEqual([false, false]);
    expect(nodes.slice(-3).map(({ op, problem }) => [op, problem])).toMatchObject([
      ['matmul', { m: 3, n: 64, k: 64 }],
      ['pointer_scores', { numTokens: 3, numQuestions: 2, numPairs: 6, width: 16 }],
      ['span_search', { numTokens: 6, numRows: 2 }],
    ]);
  });

  it.each([
    [{ question_token_id: undefined }, 'question_token_id: expected a whole number, at least 0, at most 99, found'],
    [{ sep_token_id: 100 }, 'sep_token_id: expected a whole number, at least 0, at most 99, found 100'],
    [{ question_token_id: 2 }, 'question_token_id: expected another token than that of cls_token_id, found 2'],
    [{ sep_token_id: 2 }, 'sep_token_id: expected another token than that of cls_token_id, found 2'],
    [{ sep_token_id: 4 }, 'sep_token_id: expected another token than that of question_token_id, found 4'],
    [{ pointer_size: 0 }, 'pointer_size: expected a whole number, at least 1, found 0'],
    [{ architectures: ['MagicBoxForCausalLM'] }, '"MagicBoxForCausalLM" is not known; known are MagicBoxForExtraction'],
  ])('refuses %j', (changed, message) => {
    const config = Object.fromEntries(Object.entries({ ...box, ...changed }).filter(([, value]) => value !== undefined));
    expect(() => define(config)).toThrow(message);
  });
});
