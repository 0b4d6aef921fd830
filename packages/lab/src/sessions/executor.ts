import {
  inspectCheckpoint,
  loadClassifier,
  loadEmbedder,
  loadExtractor,
  loadGenerator,
  loadTagger,
  OptionError,
  TrominoError,
  type Classifier,
  type Embedder,
  type Extractor,
  type Generator,
  type LoadOptions,
  type Model,
  type Tagger,
  type TextOrIds,
} from 'tromino';
import type {
  ClassificationResult,
  ErrorData,
  Execute,
  Inspection,
  LoadedModel,
  ModelInput,
  OutputName,
  RequestKind,
  Requests,
} from './protocol.ts';
import { timeSteps, traceSteps } from './traces.ts';

type Handlers = { [K in RequestKind]: (params: Requests[K]['params']) => Promise<Requests[K]['result']> };
type Loaded =
  | { readonly head: 'classifier'; readonly model: Classifier }
  | { readonly head: 'generator'; readonly model: Generator }
  | { readonly head: 'tagger'; readonly model: Tagger }
  | { readonly head: 'extractor'; readonly model: Extractor }
  | { readonly head: 'embedder'; readonly model: Embedder };

/** Makes an executor of requests on one backend of the runtime; the same code runs in Node and in the page. */
export function createExecutor(backend: 'webgpu' | 'cpu'): Execute {
  let loaded: Loaded | undefined;

  const handlers: Handlers = {
    inspect: (params) => inspect(params, backend),
    load: async ({ source, ropeFrequencies, profiling = false }) => {
      const previous = loaded;
      loaded = await load(source, { backend, ropeFrequencies, profiling });
      previous?.model.dispose(); // Only now: both share a device with its compiled pipelines, and the last one out destroys it.
      return describe(loaded);
    },
    classify: async ({ inputs }) => {
      const results = await modelIn(loaded, 'classifier').classify(inputs);
      return results.map(({ label, scores, numTokens, truncated }): ClassificationResult => ({
        label,
        scores,
        numTokens,
        truncated,
      }));
    },
    compute: async ({ inputs, output }) => {
      const rows = await computed(loaded, inputs, output);
      return rows.map((row) => [...row]);
    },
    extract: ({ text, questions, topK }) =>
      modelIn(loaded, 'extractor')
        .extract(text, questions, { ...(topK !== undefined && { topK }) })
        .catch(inFlags),
    tag: ({ text }) => modelIn(loaded, 'tagger').tag(text),
    embed: async ({ input }) => [...(await modelIn(loaded, 'embedder').embed(input))],
    generate: ({ input, maxNewTokens, stopTokens }) =>
      modelIn(loaded, 'generator').generate(input, {
        ...(maxNewTokens !== undefined && { maxNewTokens }),
        ...(stopTokens !== undefined && { stopTokens }),
      }),
    tap: ({ input, questions }) => traceSteps(anyModel('tap', loaded), rowOf(loaded, input, questions)),
    profile: ({ input, questions, repeats }) =>
      timeSteps(anyModel('profile', loaded), rowOf(loaded, input, questions), repeats),
  };

  return async (kind, params) => {
    try {
      return { ok: true, result: await handlers[kind](params) };
    } catch (error) {
      return { ok: false, error: errorData(error) };
    }
  };
}

/** Loads a checkpoint as what its head makes it. */
async function load(source: string, options: LoadOptions): Promise<Loaded> {
  const { head } = await inspectCheckpoint(source);
  switch (head) {
    case 'classifier':
      return { head, model: await loadClassifier(source, options) };
    case 'generator':
      return { head, model: await loadGenerator(source, options) };
    case 'tagger':
      return { head, model: await loadTagger(source, options) };
    case 'extractor':
      return { head, model: await loadExtractor(source, options) };
    case 'embedder':
      return { head, model: await loadEmbedder(source, options) };
  }
}

/** A raw output of the loaded model. @throws OptionError where its head does not give it. */
async function computed(
  loaded: Loaded | undefined,
  inputs: readonly ModelInput[],
  output: OutputName,
): Promise<readonly Float32Array[]> {
  switch (loaded?.head) {
    case 'classifier':
      if (output === 'logits') return (await loaded.model.classify(inputs)).map(({ logits }) => logits);
      break;
    case 'generator':
      if (output === 'last_logits') return loaded.model.lastLogits(inputs);
      break;
    case 'tagger':
      if (output === 'token_logits') return loaded.model.tokenLogits(inputs);
      break;
    case 'extractor':
      if (output === 'start_logits') return (await loaded.model.spanLogits(inputs)).map(({ start }) => start);
      if (output === 'end_logits') return (await loaded.model.spanLogits(inputs)).map(({ end }) => end);
      break;
    case 'embedder':
      if (output === 'last_hidden_state') return loaded.model.hiddenStates(inputs);
      if (output === 'mean_pooled') return loaded.model.pooled(inputs, 'mean');
      break;
    case undefined:
  }
  throw new OptionError('compute', `a model that gives ${output}`, loaded?.head ?? 'no model');
}

function describe({ head, model }: Loaded): LoadedModel {
  return { head, family: model.family, adapter: model.adapter, hasTokenizer: model.tokenizer !== undefined };
}

/** The input itself; with questions, the first row that an extractor reads for them. */
function rowOf(loaded: Loaded | undefined, input: ModelInput, questions: readonly string[]): TextOrIds {
  if (questions.length === 0) return input;
  if (typeof input !== 'string')
    throw new OptionError('--text', 'a text to ask the questions about', '--ids');
  const [row] = modelIn(loaded, 'extractor').encode(input, questions);
  return row ?? [];
}

function anyModel(request: string, loaded: Loaded | undefined): Model {
  if (loaded === undefined) throw new OptionError(request, 'a model', 'no model');
  return loaded.model;
}

/** The library names its own options, the caller of the command wrote flags. */
function inFlags(error: unknown): never {
  if (!(error instanceof OptionError) || error.option !== 'topK') throw error;
  throw new OptionError('--top-k', error.expected, error.found);
}

type ModelWith<H extends Loaded['head']> = Extract<Loaded, { readonly head: H }>['model'];

/** The loaded model. @throws OptionError where it has another head. */
function modelIn<H extends Loaded['head']>(loaded: Loaded | undefined, head: H): ModelWith<H> {
  if (loaded?.head === head) return loaded.model as ModelWith<H>;
  throw new OptionError('model', `a model with the head "${head}"`, loaded?.head ?? 'none');
}

/** Reads a checkpoint's headers, and loads it too: what a call will take depends on the device that would run it. */
async function inspect(
  { source, numTokens }: Requests['inspect']['params'],
  backend: 'webgpu' | 'cpu',
): Promise<Inspection> {
  const { family, head, config, tensors, numParameters, totalBytes, maxTokens } =
    await inspectCheckpoint(source);
  if (numTokens > maxTokens) {
    throw new OptionError('--tokens', `at most ${maxTokens}, the checkpoint's context`, String(numTokens));
  }
  const { model } = await load(source, { backend });
  try {
    const { adapter } = model;
    const plannedBytes = { ...model.plan(numTokens).bytes };
    return {
      adapter,
      family,
      head,
      config,
      tensors,
      numParameters,
      totalBytes,
      maxTokens,
      numTokens,
      plannedBytes,
    };
  } finally {
    model.dispose();
  }
}

/** Turns whatever was thrown into data. Platform aborts count as typed: they are an answer, not a bug. */
function errorData(error: unknown): ErrorData {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, isTyped: false };
  const isTyped = error instanceof TrominoError || error.name === 'AbortError';
  return { name: error.name, message: error.message, stack: error.stack, isTyped };
}
