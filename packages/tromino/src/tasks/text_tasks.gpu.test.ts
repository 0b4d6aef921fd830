import { describe, expect, it } from 'vitest';
import { textCheckpoint } from '../../test/text_checkpoints.ts';
import { loadEmbedder, loadExtractor, loadTagger, type LoadOptions } from '../index.ts';

const fixtures = new URL('/packages/tromino/test/fixtures/checkpoints/', location.origin);
const read = async (path: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(new URL(path, fixtures))).arrayBuffer());
const backends: readonly LoadOptions[] = [{ backend: 'webgpu' }, { backend: 'cpu' }];

const text = 'Ada met Grace at the old mill, 7 miles from Turin. Café 👩‍👩‍👧‍👦 東京, שלום!';
const long = Array.from({ length: 2 }, (_, i) => `${text} x${i}`).join(' ');

describe('WebGPU and the portable backend', () => {
  it.each(['bert-qa', 'modernbert-qa'])('give the same answers of %s', async (name) => {
    const files = await textCheckpoint(name, read);
    const [device, portable] = await Promise.all(
      backends.map(async (backend) => {
        using model = await loadExtractor(files, { ...backend, maxTokens: 60 });
        const questions = ['who met grace?', 'where?'];
        return await model.extract([long, ''], questions, { topK: 5, maxAnswerTokens: 12 });
      }),
    );
    expect(device).toHaveLength(2);
    device?.flat().forEach(({ answers, noAnswerScore }, i) => {
      const expected = portable?.flat()[i];
      expect(noAnswerScore).toBeCloseTo(expected?.noAnswerScore ?? NaN, 4);
      expect(answers.map(({ start, end }) => [start, end])).toEqual(
        expected?.answers.map(({ start, end }) => [start, end]),
      );
      answers.forEach(({ score }, k) => {
        expect(score).toBeCloseTo(expected?.answers[k]?.score ?? NaN, 4);
      });
    });
  });

  it('give the same entities', async () => {
    const files = await textCheckpoint('modernbert-tokencls', read);
    const [device, portable] = await Promise.all(
      backends.map(async (backend) => {
        using model = await loadTagger(files, { ...backend, maxTokens: 50 });
        return await model.tag(long);
      }),
    );
    expect(device?.length).toBeGreaterThan(20);
    expect(device?.map(({ label, start, end }) => [label, start, end])).toEqual(
      portable?.map(({ label, start, end }) => [label, start, end]),
    );
  });

  it('give the same vectors', async () => {
    const files = await textCheckpoint('bert-embed', read);
    const [device, portable] = await Promise.all(
      backends.map(async (backend) => {
        using model = await loadEmbedder(files, backend);
        return await model.embed([text, 'Ada'], { normalize: true });
      }),
    );
    device?.forEach((vector, i) => {
      vector.forEach((value, k) => {
        expect(value).toBeCloseTo(portable?.[i]?.[k] ?? NaN, 5);
      });
    });
  });
});
