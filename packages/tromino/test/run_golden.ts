import type {
  CheckpointSource,
  Classifier,
  Embedder,
  Extractor,
  Generator,
  LoadOptions,
  Model,
  Tagger,
} from '../src/index.ts';
import { loadClassifier, loadEmbedder, loadExtractor, loadGenerator, loadTagger } from '../src/index.ts';
import { must } from '../src/util/assert.ts';
import { expectedRows, goldenRows, type GoldenCase, type GoldenRow } from './reference_checkpoints.ts';

/** What a model gave for each row of a case, and what the reference gave. */
export interface Comparison {
  readonly output: string;
  readonly found: readonly ArrayLike<number>[];
  readonly expected: readonly number[][];
}

/** A model with what it computes of a case, in the terms of `golden.json`. */
export interface GoldenModel {
  readonly model: Model;
  /** @param without an output that is not to be compared. */
  readonly compare: (golden: GoldenCase, without?: string) => Promise<Comparison[]>;
  /** Raw scores of the model's first output. */
  readonly score: (rows: readonly GoldenRow[]) => Promise<readonly ArrayLike<number>[]>;
}

interface Output {
  readonly name: string;
  readonly per: 'row' | 'token';
  readonly run: (rows: readonly GoldenRow[]) => Promise<readonly ArrayLike<number>[]>;
}

/** Loads a reference checkpoint as what its head makes it. */
export async function loadGolden(
  source: CheckpointSource,
  head: string,
  options: LoadOptions,
): Promise<GoldenModel> {
  switch (head) {
    case 'classifier':
      return golden(await loadClassifier(source, options), classifierOutputs);
    case 'generator':
      return golden(await loadGenerator(source, options), generatorOutputs);
    case 'tagger':
      return golden(await loadTagger(source, options), taggerOutputs);
    case 'extractor':
      return golden(await loadExtractor(source, options), extractorOutputs);
    case 'embedder':
      return golden(await loadEmbedder(source, options), embedderOutputs);
    default:
      throw new Error(`no golden outputs are known of a ${head}`);
  }
}

function golden<M extends Model>(model: M, outputsOf: (model: M) => Output[]): GoldenModel {
  const outputs = outputsOf(model);
  return {
    model,
    score: must(outputs[0], 'output').run,
    compare: async (goldenCase, without) => {
      const comparisons: Comparison[] = [];
      for (const { name, per, run } of outputs) {
        const expected = name === without ? undefined : expectedRows(goldenCase, name, per);
        if (expected) comparisons.push({ output: name, found: await run(goldenRows(goldenCase)), expected });
      }
      if (comparisons.length === 0) throw new Error('the case has nothing to compare');
      return comparisons;
    },
  };
}

const classifierOutputs = (model: Classifier): Output[] => [
  {
    name: 'logits',
    per: 'row',
    run: async (rows) => (await model.classify(rows)).map(({ logits }) => logits),
  },
];

const generatorOutputs = (model: Generator): Output[] => [
  { name: 'last_logits', per: 'row', run: (rows) => model.lastLogits(rows) },
  {
    name: 'greedy',
    per: 'row',
    run: async ([row]) => {
      const { ids } = await model.generate(row ?? [], { maxNewTokens: 24, stopTokens: [] });
      return [ids];
    },
  },
];

const taggerOutputs = (model: Tagger): Output[] => [
  { name: 'logits', per: 'token', run: (rows) => model.tokenLogits(rows) },
];

const extractorOutputs = (model: Extractor): Output[] => [
  {
    name: 'start_logits',
    per: 'token',
    run: async (rows) => (await model.spanLogits(rows)).map(({ start }) => start),
  },
  {
    name: 'end_logits',
    per: 'token',
    run: async (rows) => (await model.spanLogits(rows)).map(({ end }) => end),
  },
];

const embedderOutputs = (model: Embedder): Output[] => [
  { name: 'last_hidden_state', per: 'token', run: (rows) => model.hiddenStates(rows) },
  { name: 'mean_pooled', per: 'row', run: (rows) => model.pooled(rows, 'mean') },
];
