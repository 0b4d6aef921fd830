import type { LoadProgress } from 'tromino';
import type { CallExtent, Failure, ModelAnswer, ModelChoice, ModelRequest } from './model_protocol.ts';

/** A failure of a model or of its worker; `name` is the runtime's error class. */
class ModelError extends Error {
  constructor({ name, message }: Failure) {
    super(message);
    this.name = name;
  }
}

/** What {@link loadInWorker} needs. */
export interface LoadInWorkerOptions extends ModelChoice {
  readonly onProgress: (progress: LoadProgress) => void;
  /** Stops the load. */
  readonly signal?: AbortSignal;
}

/** A model that lives in a worker of its own. */
export interface WorkerModel<Info, Call, Result> {
  /** What it said of itself when it was loaded. */
  readonly info: Info;
  /**
   * Runs the model once.
   * @param onExtent hears how much there is to read, where the model tells.
   * @throws ModelError if the model fails or is disposed of meanwhile; the signal's reason once it is aborted.
   */
  ask(call: Call, signal?: AbortSignal, onExtent?: (extent: CallExtent) => void): Promise<Result>;
  /** Ends the worker and with it everything that the model holds. Open calls reject. */
  dispose(): void;
}

/** The part of a Worker that is used; tests give their own. */
export type ModelWorker = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

/**
 * Loads a model in its worker.
 * @throws ModelError with the runtime's error; the worker is ended then.
 */
export function loadInWorker<Info, Call, Result>(
  options: LoadInWorkerOptions,
  worker: ModelWorker,
): Promise<WorkerModel<Info, Call, Result>> {
  return new WorkerClient<Info, Call, Result>(worker).load(options);
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

interface WaitingCall<T> extends Waiting<T> {
  readonly onExtent: ((extent: CallExtent) => void) | undefined;
}

class WorkerClient<Info, Call, Result> {
  readonly #worker: ModelWorker;
  readonly #calls = new Map<number, WaitingCall<Result>>();
  #loading: Waiting<Info> | undefined;
  #onProgress: LoadInWorkerOptions['onProgress'] | undefined;
  #nextId = 0;
  #ended: ModelError | undefined;

  constructor(worker: ModelWorker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }) => {
      this.#receive(data as ModelAnswer<Info, Result>);
    });
    worker.addEventListener('error', ({ message }) => {
      this.#end({ name: 'WorkerError', message: message || 'the worker of the model could not start' });
    });
  }

  async load(options: LoadInWorkerOptions): Promise<WorkerModel<Info, Call, Result>> {
    const { modelUrl, backend, onProgress, signal } = options;
    this.#onProgress = onProgress;
    const abort = (): void => {
      this.#end({ name: 'AbortError', message: 'the load was stopped' });
    };
    signal?.addEventListener('abort', abort);
    try {
      const info = await new Promise<Info>((resolve, reject) => {
        this.#loading = { resolve, reject };
        if (signal?.aborted === true) abort();
        else this.#send({ kind: 'load', choice: { modelUrl, backend } });
      });
      return {
        info,
        ask: (call, callSignal, onExtent) => this.#ask(call, callSignal, onExtent),
        dispose: () => {
          this.#end({ name: 'DisposedError', message: 'the model was put away' });
        },
      };
    } catch (error) {
      this.#worker.terminate();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #ask(
    call: Call,
    signal: AbortSignal | undefined,
    onExtent: ((extent: CallExtent) => void) | undefined,
  ): Promise<Result> {
    if (this.#ended !== undefined) throw this.#ended;
    if (signal?.aborted === true) throw reasonOf(signal);
    const id = this.#nextId++;
    const abort = (): void => {
      const waiting = this.#take(id);
      if (waiting === undefined) return;
      this.#send({ kind: 'abort', id });
      waiting.reject(reasonOf(signal));
    };
    signal?.addEventListener('abort', abort);
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#calls.set(id, { resolve, reject, onExtent });
        this.#send({ kind: 'call', id, call });
      });
    } finally {
      // Also where the call could not be sent; and a signal may outlive many calls.
      this.#calls.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  }

  #receive(answer: ModelAnswer<Info, Result>): void {
    switch (answer.kind) {
      case 'progress':
        this.#onProgress?.(answer.progress);
        break;
      case 'loaded':
        this.#loading?.resolve(answer.info);
        break;
      case 'extent':
        this.#calls.get(answer.id)?.onExtent?.(answer.extent);
        break;
      case 'done':
        this.#take(answer.id)?.resolve(answer.result);
        break;
      case 'failed': {
        const error = new ModelError(answer.failure);
        if (answer.id === undefined) this.#loading?.reject(error);
        else this.#take(answer.id)?.reject(error);
      }
    }
  }

  #take(id: number): WaitingCall<Result> | undefined {
    const waiting = this.#calls.get(id);
    this.#calls.delete(id);
    return waiting;
  }

  #send(request: ModelRequest<Call>): void {
    this.#worker.postMessage(request);
  }

  /** Nothing comes from an ended worker any more, so whoever waits is told. */
  #end(failure: Failure): void {
    this.#worker.terminate();
    this.#ended ??= new ModelError(failure);
    this.#loading?.reject(this.#ended);
    for (const { reject } of this.#calls.values()) reject(this.#ended);
    this.#calls.clear();
  }
}

/** Why a signal was aborted: the platform's `AbortError`, unless who aborted it gave another reason. */
function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new ModelError({ name: 'AbortError', message: String(reason) });
}
