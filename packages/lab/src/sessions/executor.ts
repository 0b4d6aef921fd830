import {
  inspectCheckpoint,
  loadClassifier,
  loadGenerator,
  OptionError,
  TrominoError,
  UnsupportedError,
  type Classifier,
  type Generator,
  type LoadOptions,
} from 'tromino';
import type {
  ClassificationResult,
  ErrorData,
  Execute,
  Inspection,
  LoadedModel,
  RequestKind,
  Requests,
} from './protocol.ts';

type Handlers = { [K in RequestKind]: (params: Requests[K]['params']) => Promise<Requests[K]['result']> };
type Loaded =
  | { readonly head: 'classifier'; readonly model: Classifier }
  | { readonly head: 'generator'; readonly model: Generator };

/** Makes an executor of requests on one backend of the runtime; the same code runs in Node and in the page. */
export function createExecutor(backend: 'webgpu' | 'cpu'): Execute {
  let loaded: Loaded | undefined;

  const handlers: Handlers = {
    inspect: (params) => inspect(params, backend),
    load: async ({ source, ropeFrequencies }) => {
      const previous = loaded;
      loaded = await load(source, { backend, ropeFrequencies });
      previous?.model.dispose(); // Only now: both share a device with its compiled pipelines, and the last one out destroys it.
      return describe(loaded);
    },
    classify: async ({ inputs }) => {
      const results = await classifierIn(loaded).classify(inputs);
      return results.map(({ label, scores, numTokens, truncated }): ClassificationResult => ({
        label,
        scores,
        numTokens,
        truncated,
      }));
    },
    lastLogits: async ({ inputs }) => {
      const rows = await generatorIn(loaded).lastLogits(inputs);
      return rows.map((row) => [...row]);
    },
    generate: ({ input, maxNewTokens, stopTokens }) =>
      generatorIn(loaded).generate(input, {
        ...(maxNewTokens !== undefined && { maxNewTokens }),
        ...(stopTokens !== undefined && { stopTokens }),
      }),
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
    default:
      throw new UnsupportedError(head, 'checkpoints with this head are not supported yet');
  }
}

function describe({ head, model }: Loaded): LoadedModel {
  return { head, family: model.family, adapter: model.adapter, hasTokenizer: model.tokenizer !== undefined };
}

function classifierIn(loaded: Loaded | undefined): Classifier {
  if (loaded?.head !== 'classifier')
    throw new OptionError('classify', 'a classifier', loaded?.head ?? 'no model');
  return loaded.model;
}

function generatorIn(loaded: Loaded | undefined): Generator {
  if (loaded?.head !== 'generator')
    throw new OptionError('generate', 'a generator', loaded?.head ?? 'no model');
  return loaded.model;
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
