import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DisposedError,
  loadClassifier,
  loadGenerator,
  OptionError,
  ScoreError,
  TrominoError,
  type Classifier,
  type Generator,
} from '../node.ts';
import { must } from '../util/assert.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const tokenizer = {
  model: { type: 'WordLevel', vocab: { a: 0, b: 1, '[UNK]': 2 }, unk_token: '[UNK]' },
  pre_tokenizer: { type: 'Whitespace' },
};

async function filesOf(name: string): Promise<Map<string, Uint8Array>> {
  const names = ['config.json', 'model.safetensors'];
  return new Map(
    await Promise.all(
      names.map(async (file) => [file, await readFile(new URL(`${name}/${file}`, fixtures))] as const),
    ),
  );
}

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

let classifier: Classifier;
let generator: Generator;

beforeAll(async () => {
  classifier = await loadClassifier(await filesOf('llama-seqcls'), { backend: 'cpu' });
  const files = await filesOf('llama-lm-tied');
  files.set('tokenizer.json', encode(tokenizer));
  generator = await loadGenerator(files, { backend: 'cpu', maxTokens: 8 });
});

afterAll(() => {
  classifier.dispose();
  generator.dispose();
});

/** What callers without types may pass. */
const untyped = (value: unknown): never => value as never;

describe('inputs without meaning', () => {
  it.each<[string, unknown, string]>([
    [
      'a mask that is text',
      { ids: [1, 2], attentionMask: '11' },
      'input.attentionMask: expected a list of 0 and 1, found "11"',
    ],
    [
      'a mask that is a number',
      { ids: [1], attentionMask: 5 },
      'input.attentionMask: expected a list of 0 and 1, found 5',
    ],
    [
      'a mask of another length',
      { ids: [1, 2], attentionMask: [1] },
      'input.attentionMask: expected 2 values, one for each id, found 1',
    ],
    [
      'ids that are a look-alike',
      { ids: { length: 2, 0: 1, 1: 2 } },
      'input: expected a text, token ids, or { ids, attentionMask }, found an object',
    ],
    [
      'an id that is no value',
      [1, Object.create(null)],
      'input.ids[1]: expected an integer from 0 to 319, found an object',
    ],
    ['a list within ids', [1, [2]], 'input.ids[1]: expected an integer from 0 to 319, found a list of 1'],
    [
      'a list of holes',
      new Array(3),
      'inputs[0]: expected a text, token ids, or { ids, attentionMask }, found undefined',
    ],
    ['big integers', BigInt64Array.of(1n), 'input.ids[0]: expected an integer from 0 to 319, found 1n'],
    [
      'tokens further apart than there are positions',
      {
        ids: new Array(513).fill(1),
        attentionMask: Array.from({ length: 513 }, (_, i) => (i % 512 === 0 ? 1 : 0)),
      },
      'input: expected at most 512 tokens, found 513',
    ],
  ])('are refused: %s', async (_, input, message) => {
    await expect(classifier.classify(untyped(input))).rejects.toBeInstanceOf(OptionError);
    await expect(classifier.classify(untyped(input))).rejects.toThrow(message);
  });

  it('are not padding, however long it is', async () => {
    const ids = [...new Array<number>(1000).fill(0), 5, 9];
    const attentionMask = [...new Array<number>(1000).fill(0), 1, 1];
    const padded = await classifier.classify({ ids, attentionMask });
    expect(padded.logits).toEqual((await classifier.classify([5, 9])).logits);
    expect(await classifier.classify(untyped(Int32Array.of(5, 9)))).toMatchObject({
      label: padded.label,
    });
  });
});

describe('options without meaning', () => {
  it.each<[unknown, string]>([
    [null, 'options: expected an object, found null'],
    [5, 'options: expected an object, found 5'],
    [{ signal: {} }, 'signal: expected an AbortSignal, found an object'],
  ])('are refused in calls: %j', async (options, message) => {
    await expect(classifier.classify([1], untyped(options))).rejects.toThrow(message);
    await expect(classifier.prepare(1, untyped(options))).rejects.toThrow(message);
    await expect(generator.generate([1], untyped(options))).rejects.toThrow(message);
  });

  it.each<[unknown, string]>([
    [null, 'options: expected an object, found null'],
    [{ backend: 5n }, 'backend: expected one of webgpu, cpu, auto, found 5n'],
    [{ ropeFrequencies: 'bf16' }, 'ropeFrequencies: expected one of f32, as-stored, found "bf16"'],
    [{ memoryBudgetBytes: '1000' }, 'memoryBudgetBytes: expected a number of bytes, found "1000"'],
    [{ memoryBudgetBytes: null }, 'memoryBudgetBytes: expected a number of bytes, found null'],
    [{ onProgress: 5 }, 'onProgress: expected a function, found 5'],
    [{ device: {} }, 'device: expected a GPUDevice, found an object'],
    [{ variants: 5 }, 'variants: expected an object of op and variant, found 5'],
    [{ signal: 5 }, 'signal: expected an AbortSignal, found 5'],
    [
      { onprogress: () => undefined },
      'onprogress: expected a known option, as onProgress, found an unknown one',
    ],
  ])('are refused in loads: %o', async (options, message) => {
    const loading = loadClassifier(await filesOf('llama-seqcls'), untyped(options));
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toBeInstanceOf(TrominoError);
  });

  it.each<[unknown, string]>([
    [null, 'expected a number or a list of numbers, found null'],
    [['3'], 'expected integers from 1 to 512, found "3"'],
    [9999, 'expected integers from 1 to 512, found 9999'],
    [[], 'expected at least one row, found none'],
  ])('are refused as row lengths: %j', async (lengths, message) => {
    expect(() => classifier.plan(untyped(lengths))).toThrow(`plan(rowLengths): ${message}`);
    const preparing = classifier.prepare(untyped(lengths));
    await expect(preparing).rejects.toThrow(`prepare(rowLengths): ${message}`);
  });

  it('are not lists of many rows', () => {
    expect(classifier.plan(new Array<number>(200_000).fill(1)).outputs[0]?.shape).toEqual([200_000, 8]);
  });
});

describe('generate', () => {
  it('continues nothing from nothing', async () => {
    await expect(generator.generate([])).rejects.toThrow('at least one token');
    await expect(generator.generate({ ids: [1, 2], attentionMask: [0, 0] })).rejects.toThrow(
      'at least one token',
    );
  });

  it('begins with the likeliest token of lastLogits, with holes in the mask too, and ignores padding', async () => {
    const options = { maxNewTokens: 3, stopTokens: [] };
    const holed = { ids: [1, 2, 3, 4, 5], attentionMask: [1, 0, 0, 0, 1] };
    const logits = await generator.lastLogits(holed);
    const { ids } = await generator.generate(holed, options);
    expect(ids[0]).toBe(logits.indexOf(Math.max(...logits)));
    const padded = { ids: [0, 7, 0, 9, 0, 0], attentionMask: [0, 1, 0, 1, 0, 0] };
    const bare = { ids: [7, 0, 9], attentionMask: [1, 0, 1] };
    expect(await generator.generate(padded, options)).toEqual(await generator.generate(bare, options));
  });

  it('gives ids beyond the tokenizer no text, rather than failing', async () => {
    const { ids, text } = await generator.generate('a', { maxNewTokens: 4, stopTokens: [] });
    expect(ids).toHaveLength(4);
    expect(Math.max(...ids)).toBeGreaterThan(2);
    expect(typeof text).toBe('string');
  });

  it.each<[object, string]>([
    [{ stopTokens: 5 }, 'stopTokens: expected a list of token ids, found 5'],
    [{ stopTokens: new Array<number>(2) }, 'stopTokens: expected a list of token ids, found a list of 2'],
    [{ stopTokens: ['2'] }, 'stopTokens: expected a list of token ids, found a list of 1'],
    [{ onToken: 5 }, 'onToken: expected a function, found 5'],
    [{ maxNewToken: 3 }, 'maxNewToken: expected a known option, as maxNewTokens, found an unknown one'],
    [{ maxNewTokens: NaN }, 'maxNewTokens: expected an integer from 0, found NaN'],
  ])('refuses %j', async (options, message) => {
    await expect(generator.generate([1], options)).rejects.toThrow(message);
  });
});

describe('a disposed model', () => {
  it('rejects every call, also those with nothing to do, and throws from none', async () => {
    const files = await filesOf('llama-lm-tied');
    const model = await loadGenerator(files, { backend: 'cpu' });
    model.dispose();
    model.dispose();
    await expect(model.lastLogits([])).rejects.toBeInstanceOf(DisposedError);
    await expect(model.generate([1], { maxNewTokens: 0 })).rejects.toBeInstanceOf(DisposedError);
    await expect(model.prepare(1)).rejects.toBeInstanceOf(DisposedError);
    await expect(model.tap([1], () => undefined)).rejects.toBeInstanceOf(DisposedError);
    await expect(model.profile([1])).rejects.toBeInstanceOf(DisposedError);
    expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
  });

  it('ends a tap whose callback never returns, and the call behind it', async () => {
    const model = await loadGenerator(await filesOf('llama-lm-tied'), { backend: 'cpu' });
    let begin: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const tapped = model.tap([1], () => {
      begin?.();
      return new Promise<void>(() => undefined);
    });
    const behind = model.lastLogits([1]);
    await begun;
    model.dispose();
    await expect(tapped).rejects.toBeInstanceOf(DisposedError);
    await expect(behind).rejects.toBeInstanceOf(DisposedError);
    expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
  });
});

describe('a model whose weights are not numbers', () => {
  it('says so instead of naming a class', async () => {
    const files = await filesOf('llama-seqcls');
    const file = Uint8Array.from(must(files.get('model.safetensors'), 'weights'));
    // The last tensor of the file is the head's: its last element belongs to the last class.
    new DataView(file.buffer).setFloat32(file.length - 4, NaN, true);
    files.set('model.safetensors', file);
    using model = await loadClassifier(files, { backend: 'cpu' });
    await expect(model.classify([1])).rejects.toThrow(new ScoreError(7, NaN));
  });
});
