import { bestAnswers, flatAnswers } from './answers.ts';
import type { Engine } from './engine.ts';

/** The part of ONNX Runtime Web's interface that is used here; its files lie beside the page, not in this repository. */
interface OrtModule {
  readonly env: {
    readonly versions: { readonly web?: string; readonly common?: string };
    readonly wasm: { wasmPaths: string; numThreads: number };
    readonly webgpu: { powerPreference: string };
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
  readonly InferenceSession: {
    create(bytes: Uint8Array, options: object): Promise<OrtSession>;
  };
}

interface OrtSession {
  readonly inputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, OrtTensor>>>;
  release(): Promise<void>;
}

interface OrtTensor {
  getData(): Promise<ArrayLike<number>>;
}

let ortModule: Promise<OrtModule> | undefined;

/** ONNX Runtime Web on WebGPU, set up as its documentation says; its calls start from token ids. */
export const ortEngine: Engine = {
  name: 'ONNX Runtime Web',
  async load({ name, onnx, task }, { ids, layout }, _section, say) {
    if (onnx === undefined) throw new Error(`${name}: bench.json names no .onnx file for it`);
    const start = performance.now();
    say('load, import');
    const ort = await (ortModule ??= importOrt());
    const imported = performance.now();
    say('load, download');
    // Its web build takes a file whole.
    const bytes = await fetchBytes(onnx);
    const fetched = performance.now();
    say('load, session');
    const session = await ort.InferenceSession.create(bytes, {
      executionProviders: ['webgpu'],
      graphOptimizationLevel: 'all',
    });
    const created = performance.now();
    const tensor = (values: readonly number[], dims: readonly number[]): unknown =>
      new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
    const markers = layout?.markers ?? [];
    const inputs: Readonly<Record<string, unknown>> = {
      ids: tensor(ids, [1, ids.length]),
      mask: tensor(
        ids.map(() => 1),
        [1, ids.length],
      ),
      markers: tensor(markers, [markers.length]),
    };
    const feeds = Object.fromEntries(session.inputNames.map((input) => [input, inputs[input]]));
    const scores = async (): Promise<ArrayLike<number>> => {
      const [output] = Object.values(await session.run(feeds));
      if (!output) throw new Error(`${onnx}: gave no output`);
      return await output.getData();
    };
    return {
      input: 'ids',
      loadMs: {
        totalMs: created - start,
        byPhaseMs: { import: imported - start, download: fetched - imported, session: created - fetched },
      },
      call:
        task === 'answers' && layout ? async () => flatAnswers(bestAnswers(await scores(), layout)) : scores,
      dispose: () => session.release(),
    };
  },
};

async function importOrt(): Promise<OrtModule> {
  const url = new URL('ort/ort.webgpu.min.mjs', location.href).href;
  const ort = (await import(/* @vite-ignore */ url)) as OrtModule;
  ort.env.wasm.wasmPaths = new URL('ort/', location.href).href;
  ort.env.wasm.numThreads = 1;
  ort.env.webgpu.powerPreference = 'high-performance';
  console.log(`ONNX Runtime Web ${ort.env.versions.web ?? ort.env.versions.common ?? 'of unknown version'}`);
  return ort;
}

async function fetchBytes(path: string): Promise<Uint8Array> {
  const response = await fetch(new URL(path, location.href));
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
