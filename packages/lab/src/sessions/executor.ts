import {
  inspectCheckpoint,
  loadClassifier,
  loadGenerator,
  OptionError,
  TrominoError,
  UnsupportedError,
  type Classifier,
  type Generator,
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

  const unload = (): Promise<undefined> => {
    loaded?.model.dispose();
    loaded = undefined;
    return Promise.resolve(undefined);
  };

  const handlers: Handlers = {
    inspect: (params) => inspect(params, backend),
    load: async ({ source }) => {
      await unload();
      loaded = await load(source, backend);
      return describe(loaded);
    },
    classify: async ({ inputs }) => {
      const results = await expectHead(loaded, 'classifier').classify(inputs);
      return results.map(({ label, scores, numTokens, truncated }): ClassificationResult => ({
        label,
        scores,
        numTokens,
        truncated,
      }));
    },
    lastLogits: async ({ inputs }) => {
      const rows = await expectHead(loaded, 'generator').lastLogits(inputs);
      return rows.map((row) => [...row]);
    },
    generate: ({ input, maxNewTokens, stopTokens }) =>
      expectHead(loaded, 'generator').generate(input, {
        ...(maxNewTokens !== undefined && { maxNewTokens }),
        ...(stopTokens !== undefined && { stopTokens }),
      }),
    unload,
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
async function load(source: string, backend: 'webgpu' | 'cpu'): Promise<Loaded> {
  const { head } = await inspectCheckpoint(source);
  switch (head) {
    case 'classifier':
      return { head, model: await loadClassifier(source, { backend }) };
    case 'generator':
      return { head, model: await loadGenerator(source, { backend }) };
    default:
      throw new UnsupportedError(head, 'checkpoints with this head are not supported yet');
  }
}

function describe({ head, model }: Loaded): LoadedModel {
  return { head, family: model.family, adapter: model.adapter, hasTokenizer: model.tokenizer !== undefined };
}

function expectHead<H extends Loaded['head']>(
  loaded: Loaded | undefined,
  head: H,
): Extract<Loaded, { head: H }>['model'] {
  if (loaded?.head !== head)
    throw new OptionError('request', `a ${head} to be loaded`, loaded?.head ?? 'nothing');
  return (loaded as Extract<Loaded, { head: H }>).model;
}

/** Turns whatever was thrown into data. Platform aborts count as typed: they are an answer, not a bug. */
function errorData(error: unknown): ErrorData {
  if (!(error instanceof Error))
    return { name: 'Error', message: String(error), stack: undefined, isTyped: false };
  const isTyped = error instanceof TrominoError || error.name === 'AbortError';
  return { name: error.name, message: error.message, stack: error.stack, isTyped };
}
