import type { LoadProgress } from 'tromino';

/** Which backend is asked for: `auto` takes WebGPU where there is an adapter, else the CPU. */
export type BackendChoice = 'auto' | 'webgpu' | 'cpu';

/** Which model a worker is to load. */
export interface ModelChoice {
  /** Address of the checkpoint's folder. */
  readonly modelUrl: string;
  readonly backend: BackendChoice;
}

/** How much a call has to read, told before it runs. */
export interface CallExtent {
  /** Parts in which the text is read: one, unless it is long. */
  readonly numWindows: number;
  /** Rows that the model runs: each is a window with some of the questions. */
  readonly numRows: number;
}

/** What the page asks of a model's worker. */
export type ModelRequest<Call> =
  | { readonly kind: 'load'; readonly choice: ModelChoice }
  | { readonly kind: 'call'; readonly id: number; readonly call: Call }
  | { readonly kind: 'abort'; readonly id: number };

/** What the worker answers. `failed` without an id is a load that failed. */
export type ModelAnswer<Info, Result> =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'loaded'; readonly info: Info }
  | { readonly kind: 'extent'; readonly id: number; readonly extent: CallExtent }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | { readonly kind: 'failed'; readonly id: number | undefined; readonly failure: Failure };

/** An error as it crosses from the worker: its class name and its message. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** What was thrown, as plain data. */
export function failureOf(error: unknown): Failure {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
