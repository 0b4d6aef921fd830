import { describe, expect, it } from 'vitest';
import { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { JsonObject } from '../../formats/json.ts';
import type { TensorEntry, WeightIndex } from '../../formats/weight_index.ts';
import type { HeadName } from '../model_definition.ts';
import { defineModel } from '../registry.ts';

const sizes = {
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  vocab_size: 100,
};
const bert = { ...sizes, model_type: 'bert', architectures: ['BertForSequenceClassification'] };
const roberta = { ...sizes, model_type: 'roberta', architectures: ['RobertaForSequenceClassification'] };
const modernbert = { ...sizes, model_type: 'modernbert', architectures: ['ModernBertForTokenClassification'] };

function indexOf(names: readonly string[]): WeightIndex {
  const tensors = new Map(names.map((name) => [name, { name } as TensorEntry]));
  return { tensors, totalBytes: 0, metadata: new Map(), nf4: new Map() };
}

function define(config: JsonObject, tensors: readonly string[] = [], head?: HeadName): ReturnType<typeof defineModel> {
  return defineModel(new ConfigReader('config.json', config), indexOf(tensors), head);
}

/** Names of the checkpoint's tensors that the model is made of. */
function tensorsOf(config: JsonObject, tensors: readonly string[] = [], head?: HeadName): string[] {
  return define(config, tensors, head).weights.flatMap((spec) =>
    'parts' in spec ? spec.parts.map(({ tensor }) => tensor) : [],
  );
}

const batch = { numTokens: 5, numRows: 2, maxRowTokens: 3, numPositions: 3 };

function problems(config: JsonObject, op: string): readonly unknown[] {
  return define(config).graph(batch).nodes.filter((node) => node.op === op).map((node) => node.problem);
}

describe('an encoder', () => {
  it('takes what its family takes for fields that are left out', () => {
    const { batchRules, maxTokens, labels } = define({ model_type: 'bert', architectures: ['BertForTokenClassification'] });
    expect(batchRules).toEqual({
      vocabularySize: 30_522,
      numTypes: 2,
      positions: { kind: 'from_row_start' },
      maxPositions: 512,
      readsFirstColumn: false,
    });
    expect([maxTokens, labels]).toEqual([512, ['LABEL_0', 'LABEL_1']]);
    const distil = define({ model_type: 'distilbert', architectures: ['DistilBertModel'] });
    expect([distil.numLayers, distil.batchRules.numTypes, distil.outputs[0].width]).toEqual([6, 0, 768]);
    const xlm = define({ model_type: 'xlm-roberta', architectures: ['XLMRobertaModel'] });
    expect([xlm.batchRules.vocabularySize, xlm.batchRules.numTypes]).toEqual([30_522, 2]);
    expect(define({ model_type: 'roberta', architectures: ['RobertaModel'] }).batchRules.vocabularySize).toBe(50_265);
    expect(define({ model_type: 'modernbert', architectures: ['ModernBertModel'] })).toMatchObject({
      numLayers: 22,
      maxTokens: 8192,
      batchRules: { vocabularySize: 50_368, numTypes: 0 },
    });
  });

  it('has fewer tokens than positions where these count from behind the padding id', () => {
    const { batchRules, maxTokens } = define({ ...roberta, max_position_embeddings: 514 });
    expect(batchRules).toMatchObject({ positions: { kind: 'past_padding', paddingId: 1 }, maxPositions: 514 });
    expect(batchRules.readsFirstColumn).toBe(true);
    expect(maxTokens).toBe(512);
    expect(define({ ...roberta, pad_token_id: 0 }).maxTokens).toBe(511);
  });

  it('finds its tensors with a prefix and without, and norms by their old names', () => {
    const names = tensorsOf(bert);
    expect(names).toContain('bert.embeddings.word_embeddings.weight');
    expect(names).toContain('bert.encoder.layer.2.attention.output.LayerNorm.weight');
    expect(names).toContain('bert.pooler.dense.weight');
    expect(names).toContain('classifier.bias');
    expect(tensorsOf(bert, ['embeddings.word_embeddings.weight'], 'embedder')).toContain('encoder.layer.0.output.dense.bias');
    const old = tensorsOf(bert, ['bert.embeddings.LayerNorm.gamma', 'bert.embeddings.LayerNorm.beta']);
    expect(old).toContain('bert.embeddings.LayerNorm.gamma');
    expect(old).toContain('bert.embeddings.LayerNorm.beta');
    expect(old).not.toContain('bert.embeddings.LayerNorm.weight');
  });

  it('gives hidden states whatever its head is, without the weights of the head', () => {
    const { head, outputs } = define(bert, [], 'embedder');
    expect([head, outputs.map(({ name, per }) => `${name} per ${per}`)]).toEqual([
      'embedder',
      ['mean_pooled per row', 'first_token per row', 'last_token per row', 'last_hidden_state per token'],
    ]);
    expect(tensorsOf(bert, [], 'embedder').filter((name) => /pooler|classifier/.test(name))).toEqual([]);
    expect(define({ ...bert, architectures: ['BertForMaskedLM'] }).head).toBe('embedder');
  });

  it('guesses its head by its tensors where the config names no architecture', () => {
    const nameless = { ...sizes, model_type: 'bert' };
    expect(define(nameless, ['qa_outputs.weight']).head).toBe('extractor');
    expect(define(nameless, ['classifier.weight']).head).toBe('classifier');
    expect(define(nameless).head).toBe('embedder');
  });

  it('takes few dispatches: eight a layer, and behind the last attention only the token that is read', () => {
    const { nodes } = define(bert).graph(batch);
    expect(nodes.filter(({ layer }) => layer === 1).map(({ op }) => op)).toEqual([
      'matmul',
      'attention',
      'matmul',
      'layer_norm',
      'matmul',
      'activation',
      'matmul',
      'layer_norm',
    ]);
    const last = nodes.filter(({ layer, op }) => layer === 2 && op === 'matmul').map(({ problem }) => problem['m']);
    expect(last).toEqual([5, 2, 2, 2]);
    expect(nodes.filter(({ layer }) => layer === 3).map(({ op }) => op)).toEqual(['matmul', 'activation', 'matmul']);
  });
});

describe('modernbert', () => {
  const four = { ...modernbert, global_attn_every_n_layers: 3, global_rope_theta: 5e4, local_rope_theta: 2e3, local_attention: 16 };
  const five = {
    ...modernbert,
    local_attention: 16,
    layer_types: ['full_attention', 'sliding_attention', 'sliding_attention'],
    rope_parameters: {
      full_attention: { rope_type: 'default', rope_theta: 5e4 },
      sliding_attention: { rope_type: 'default', rope_theta: 2e3 },
    },
  };

  it('means the same as transformers 4 and 5 write it', () => {
    expect(define(five).graph(batch)).toEqual(define(four).graph(batch));
    const tables = define(four)
      .graph(batch)
      .values.flatMap(({ origin }) =>
        origin.kind === 'constant' && origin.recipe.kind === 'rope_table' ? [origin.recipe.inverseFrequencies] : [],
      );
    // The second of eight pairs of a head of 16: theta to the power of -2/16.
    expect(tables.map((frequencies) => frequencies[1])).toEqual([Math.fround(5e4 ** -0.125), Math.fround(2e3 ** -0.125)]);
  });

  it('looks half its window to either side in local layers', () => {
    expect(problems(four, 'attention')).toMatchObject([{ window: 0 }, { window: 9 }, { window: 9 }]);
    expect(problems(modernbert, 'attention')).toMatchObject([{ window: 0 }, { window: 65 }, { window: 65 }]);
  });

  it('has no norm before its first attention, and a head with a norm', () => {
    const names = tensorsOf(modernbert);
    expect(names.filter((name) => name.endsWith('attn_norm.weight'))).toHaveLength(2);
    expect(names).toContain('head.norm.weight');
    expect(names.filter((name) => name.endsWith('bias'))).toEqual(['classifier.bias']);
  });

  it('pools as its config says', () => {
    const classifier = { ...modernbert, architectures: ['ModernBertForSequenceClassification'] };
    expect(problems({ ...classifier, classifier_pooling: 'mean' }, 'mean_pool')).toHaveLength(1);
    expect(problems(classifier, 'gather_rows')).toHaveLength(2);
  });
});

describe('deberta-v2', () => {
  const deberta = {
    ...sizes,
    model_type: 'deberta-v2',
    architectures: ['DebertaV2ForSequenceClassification'],
    relative_attention: true,
    position_buckets: 32,
    position_biased_input: false,
    pos_att_type: 'p2c|c2p',
  };

  it('scales by as many products as a score adds up, and projects positions by the layers where they are shared', () => {
    const shared = { ...deberta, share_att_key: true, norm_rel_ebd: 'layer_norm' };
    const [first] = problems(shared, 'relative_attention');
    expect(first).toMatchObject({ hasBucketKeys: true, hasBucketQueries: true, bucketStride: 192, bucketKeyOffset: 64 });
    expect((first as { scale: number }).scale).toBeCloseTo(1 / Math.sqrt(16 * 3), 12);
    expect(tensorsOf(shared)).toContain('deberta.encoder.LayerNorm.weight');
    expect(tensorsOf(shared).filter((name) => name.includes('pos_'))).toEqual([]);
    expect(tensorsOf(shared)).toContain('pooler.dense.weight');
  });

  it('has projections of its own for positions where they are not shared', () => {
    const alone = { ...deberta, pos_att_type: ['c2p'] };
    expect(problems(alone, 'relative_attention')[0]).toMatchObject({ bucketStride: 64, bucketKeyOffset: 0 });
    const names = tensorsOf(deberta).filter((name) => name.startsWith('deberta.encoder.layer.0.') && name.includes('pos_'));
    expect(names).toEqual(
      ['pos_query_proj.weight', 'pos_key_proj.weight', 'pos_query_proj.bias', 'pos_key_proj.bias'].map(
        (name) => `deberta.encoder.layer.0.attention.self.${name}`,
      ),
    );
  });

  it('attends as BERT does without relative positions, but for the scale', () => {
    const plain = { ...deberta, relative_attention: false };
    expect((problems(plain, 'attention')[0] as { scale: number }).scale).toBeCloseTo(1 / Math.sqrt(16 * 3), 12);
  });

  it.each<[JsonObject, string]>([
    [{ pos_att_type: 'p2p' }, 'pos_att_type: "p2p" is not known'],
    [{ conv_kernel_size: 3 }, 'conv_kernel_size: a convolution'],
    [{ embedding_size: 32 }, 'embedding_size: only what hidden_size gives is supported, found 32'],
  ])('refuses %j', (change, message) => {
    expect(() => define({ ...deberta, ...change })).toThrow(message);
  });
});

describe('mpnet', () => {
  const mpnet = { ...sizes, model_type: 'mpnet', architectures: ['MPNetModel'] };

  it('counts positions from behind 1, whatever the padding id, and shares one bias among all layers', () => {
    expect(define({ ...mpnet, pad_token_id: 0 }).batchRules.positions).toEqual({ kind: 'past_padding', paddingId: 1 });
    expect(problems(mpnet, 'relative_attention')).toHaveLength(3);
    expect(tensorsOf(mpnet).filter((name) => name.includes('relative'))).toEqual([
      'mpnet.encoder.relative_attention_bias.weight',
    ]);
  });
});

describe('gpt2', () => {
  const gpt2 = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 64, n_head: 4, n_layer: 2, vocab_size: 100 };

  it('is an encoder that looks back only, with its own defaults, scored by its embedding', () => {
    const { head, maxTokens, stopTokens, outputs, batchRules } = define(gpt2);
    expect([head, maxTokens, stopTokens, outputs[0].width]).toEqual(['generator', 1024, [50_256], 100]);
    expect(batchRules.positions).toEqual({ kind: 'from_first_token' });
    expect(problems(gpt2, 'attention')).toMatchObject([{ causal: true }, { causal: true }]);
    expect(problems(gpt2, 'matmul').map((problem) => (problem as { n: number }).n)).toEqual([
      192, 64, 256, 64, 192, 64, 256, 64, 100,
    ]);
    expect(define({ ...gpt2, architectures: ['GPT2ForSequenceClassification'] }).head).toBe('classifier');
  });

  it('turns its matrices over while they are loaded', () => {
    const spec = define(gpt2).weights.find(({ name }) => name === 'transformer.h.0.attn.c_attn.weight');
    if (!spec || !('assembly' in spec)) throw new Error('no assembly');
    expect(spec.shape).toEqual([192, 64]);
    expect(spec.assembly.tensors).toMatchObject([{ tensor: spec.name, shape: [64, 192] }]);
    const stored = Float32Array.from({ length: 64 * 192 }, (_, i) => i);
    const tensor = { name: spec.name, dtype: 'f32', shape: [64, 192], bytes: new Uint8Array(stored.buffer) } as const;
    const turned = spec.assembly.assemble([tensor])[spec.name];
    expect([turned?.[1], turned?.[64], turned?.[65]]).toEqual([192, 1, 193]);
  });

  it('is refused with scales by layer, and without a head where nothing is tied', () => {
    expect(() => define({ ...gpt2, scale_attn_by_inverse_layer_idx: true })).toThrow('only false is supported');
    expect(() => define({ ...gpt2, tie_word_embeddings: false })).toThrow('has no tensor lm_head.weight');
    expect(() => define(gpt2, [], 'tagger')).toThrow('a tagger was asked for');
  });
});

describe('what an encoder cannot be', () => {
  it.each<[JsonObject, string]>([
    [{ ...bert, hidden_act: 'mish' }, 'hidden_act: activation "mish" is not known'],
    [{ ...bert, position_embedding_type: 'relative_key' }, 'position_embedding_type: "relative_key" is not known; only absolute is'],
    [{ ...bert, is_decoder: true }, 'is_decoder: only encoders are supported'],
    [{ ...bert, num_attention_heads: 5 }, 'hidden_size: expected a multiple of num_attention_heads (5), found 64'],
    [{ ...bert, num_hidden_layers: 2 ** 40 }, 'num_hidden_layers: expected a whole number, at least 1, at most 10000'],
    [{ ...bert, architectures: ['BertForNextSentencePrediction'] }, '"BertForNextSentencePrediction" is not known'],
    [{ ...modernbert, classifier_pooling: 'max' }, 'classifier_pooling: "max" is not known'],
    [{ ...modernbert, layer_types: ['full_attention'] }, 'layer_types: expected 3 entries, found 1'],
    [{ ...modernbert, rope_scaling: { rope_type: 'yarn', factor: 2 } }, 'rope_type: "yarn" is not known'],
  ])('is refused: %j', (config, message) => {
    expect(() => define(config)).toThrow(message);
  });

  it('is asked for another task', () => {
    expect(() => define(bert, [], 'tagger')).toThrow(
      'this checkpoint has a classifier head; a tagger was asked for (use loadClassifier)',
    );
    expect(() => define(bert, [], 'generator')).toThrow('a generator was asked for');
  });
});
