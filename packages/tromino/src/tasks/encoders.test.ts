import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadClassifier, loadEmbedder, loadExtractor, loadTagger, OptionError } from '../node.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const fixture = (name: string): URL => new URL(`${name}/`, fixtures);
const cpu = { backend: 'cpu' } as const;

describe('loadEmbedder', () => {
  it('pools on the device what the hidden states say, also of the body of a model with a head', async () => {
    using model = await loadEmbedder(fixture('bert-seqcls'), cpu);
    const inputs = [[5, 9, 33], [7]];
    const [states, single] = await model.hiddenStates(inputs);
    expect([model.hiddenSize, states?.length, single?.length]).toEqual([64, 192, 64]);
    const [mean] = await model.pooled(inputs, 'mean');
    const [first] = await model.pooled(inputs, 'cls');
    const [last] = await model.pooled(inputs, 'lastToken');
    expect(first).toEqual(states?.slice(0, 64));
    expect(last).toEqual(states?.slice(128));
    const column = (states?.[3] ?? 0) + (states?.[67] ?? 0) + (states?.[131] ?? 0);
    expect(mean?.[3]).toBeCloseTo(column / 3, 5);
  });

  it('refuses a pooling that is none', async () => {
    using model = await loadEmbedder(fixture('bert-embed'), cpu);
    await expect(model.pooled([[5]], 'max' as never)).rejects.toThrow(
      'pooling: expected one of mean, cls, lastToken, found "max"',
    );
  });
});

describe('token types', () => {
  it('are refused where the model does not have them, and where they are beyond its own', async () => {
    using bert = await loadTagger(fixture('bert-tokencls'), cpu);
    const refused = bert.tokenLogits([{ ids: [5, 9], tokenTypes: [0, 2] }]);
    await expect(refused).rejects.toThrow('input.tokenTypes[1]: expected an integer from 0 to 1, found 2');
    await expect(bert.tokenLogits([{ ids: [5, 9], tokenTypes: [0] }])).rejects.toThrow(OptionError);
    await expect(bert.tokenLogits([{ ids: [5], tokenTypes: 7 as never }])).rejects.toThrow(
      'inputs[0].tokenTypes: expected a list of token types, found 7',
    );
    using distilbert = await loadExtractor(fixture('distilbert-qa'), cpu);
    await expect(distilbert.spanLogits([{ ids: [5, 9], tokenTypes: [0, 1] }])).rejects.toThrow(
      'input.tokenTypes[1]: expected 0, found 1',
    );
  });
});

describe('positions', () => {
  it('beyond the table are refused, padding on the left included', async () => {
    using model = await loadTagger(fixture('bert-tokencls'), cpu);
    expect(model.maxTokens).toBe(160);
    await expect(model.tokenLogits([new Array<number>(161).fill(5)])).rejects.toThrow(
      'at most 160 tokens, found 161',
    );
    const ids = new Array<number>(161).fill(5);
    const attentionMask = ids.map((_, i) => (i === 160 ? 1 : 0));
    await expect(model.tokenLogits([{ ids, attentionMask }])).rejects.toThrow(
      'a position from 0 to 159, found 160',
    );
  });

  it('of RoBERTa end where the table does', async () => {
    // 170 rows, of which the padding id 0 takes the first.
    using model = await loadClassifier(fixture('roberta-seqcls'), cpu);
    expect(model.maxTokens).toBe(169);
    const { logits } = await model.classify(new Array<number>(169).fill(5));
    expect(logits.every(Number.isFinite)).toBe(true);
  });
});

describe('a DeBERTa classifier', () => {
  it('reads the first token wherever padding stands', async () => {
    using model = await loadClassifier(fixture('deberta-v2-seqcls'), cpu);
    const plain = await model.classify([5, 9, 33]);
    const left = await model.classify({ ids: [0, 0, 5, 9, 33], attentionMask: [0, 0, 1, 1, 1] });
    expect(left.logits).toEqual(plain.logits);
  });
});

describe('a checkpoint with the old names of norms', () => {
  it('gives what one with the new names gives', async () => {
    const files = new Map(
      await Promise.all(
        ['config.json', 'model.safetensors'].map(
          async (name) => [name, await readFile(new URL(name, fixture('bert-tokencls')))] as const,
        ),
      ),
    );
    using expected = await loadTagger(files, cpu);
    const renamed = new Map(files).set('model.safetensors', withOldNames(files.get('model.safetensors')));
    using model = await loadTagger(renamed, cpu);
    expect(await model.tokenLogits([[5, 9]])).toEqual(await expected.tokenLogits([[5, 9]]));
  });
});

/** The file with `gamma` and `beta` for the weight and bias of every norm. Its header keeps its length: JSON may end in spaces. */
function withOldNames(file: Buffer<ArrayBuffer> | undefined): Buffer<ArrayBuffer> {
  if (!file) throw new Error('no file');
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header = file.toString('utf8', 8, 8 + headerBytes);
  const renamed = header
    .replaceAll('LayerNorm.weight', 'LayerNorm.gamma')
    .replaceAll('LayerNorm.bias', 'LayerNorm.beta');
  const result = Buffer.from(file);
  result.write(renamed.padEnd(headerBytes), 8);
  return result;
}
