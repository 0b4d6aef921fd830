import { describe, expect, it } from 'vitest';
import { loadTagger, loadClassifier, loadEmbedder, type LoadOptions, type Model } from '../index.ts';

const urlOf = (name: string): string =>
  new URL(`/packages/tromino/test/fixtures/checkpoints/${name}/`, location.origin).href;
const short = [33, 7, 210];
const long = Array.from({ length: 21 }, (_, i) => 5 + ((i * 37) % 300));

/** A model with what it gives of some rows as one batch. */
interface Subject {
  readonly model: Model;
  readonly run: (rows: readonly (readonly number[])[]) => Promise<Float32Array[]>;
}

const subjects: Readonly<Record<string, (options: LoadOptions) => Promise<Subject>>> = {
  'bert-seqcls': async (options) => {
    const model = await loadClassifier(urlOf('bert-seqcls'), options);
    return { model, run: async (rows) => (await model.classify(rows)).map(({ logits }) => logits) };
  },
  'modernbert-tokencls': async (options) => {
    const model = await loadTagger(urlOf('modernbert-tokencls'), options);
    return { model, run: (rows) => model.tokenLogits(rows) };
  },
  'deberta-v2-seqcls': async (options) => {
    const model = await loadClassifier(urlOf('deberta-v2-seqcls'), options);
    return { model, run: async (rows) => (await model.classify(rows)).map(({ logits }) => logits) };
  },
  'mpnet-embed': async (options) => {
    const model = await loadEmbedder(urlOf('mpnet-embed'), options);
    return { model, run: (rows) => model.pooled(rows, 'mean') };
  },
};

describe.each(Object.keys(subjects))('%s on WebGPU', (name) => {
  const load = async (options: LoadOptions = {}): Promise<Subject> => {
    const loader = subjects[name];
    if (!loader) throw new Error(name);
    return loader({ backend: 'webgpu', ...options });
  };

  it('gives a row the same bits alone, in a batch, without reuse and layer by layer, within the planned bytes', async () => {
    const { model, run } = await load();
    const [first] = await run([short]);
    const [second] = await run([long]);
    expect(await run([long, short, long])).toEqual([second, first, second]);
    expect(await run([short])).toEqual([first]);
    model.dispose();
    const apart = await load({ reuse: 'off', layersPerSlice: 1 });
    expect(await apart.run([long])).toEqual([second]);
    const { bytes } = apart.model.plan(long.length);
    expect(apart.model.memory().peakBytes).toBe(bytes.peak);
    apart.model.dispose();
    expect(apart.model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
  });
});
