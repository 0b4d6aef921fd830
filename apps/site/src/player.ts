import type { LoadProgress } from 'tromino';
import type {
  BackendChoice,
  Decision,
  Failure,
  PlayerAnswer,
  PlayerInfo,
  PlayerRequest,
} from './player_protocol.ts';

/** A failure of the model or of its worker; `name` is the runtime's error class. */
class PlayerError extends Error {
  constructor({ name, message }: Failure) {
    super(message);
    this.name = name;
  }
}

/** What {@link loadPlayer} needs. */
export interface PlayerOptions {
  /** Address of the checkpoint's folder. */
  readonly modelUrl: string;
  readonly backend: BackendChoice;
  readonly onProgress: (progress: LoadProgress) => void;
  /** Stops the load. */
  readonly signal?: AbortSignal;
}

/** A loaded model that decides moves. */
export interface Player {
  readonly info: PlayerInfo;
  /** @throws PlayerError if the model fails, or if the player is disposed of meanwhile. */
  decide(prompt: string): Promise<Decision>;
  /** Ends the worker and with it everything that the model holds. Open decisions reject. */
  dispose(): void;
}

/** The part of a Worker that is used; tests give their own. */
export type PlayerWorker = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

/**
 * Loads the model in a worker of its own.
 * @throws PlayerError with the runtime's error; the worker is ended then.
 */
export function loadPlayer(
  options: PlayerOptions,
  worker: PlayerWorker = new Worker(new URL('./player_worker.ts', import.meta.url), { type: 'module' }),
): Promise<Player> {
  return new WorkerPlayer(worker).load(options);
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: PlayerError) => void;
}

class WorkerPlayer {
  readonly #worker: PlayerWorker;
  readonly #decisions = new Map<number, Waiting<Decision>>();
  #loading: Waiting<PlayerInfo> | undefined;
  #onProgress: PlayerOptions['onProgress'] | undefined;
  #nextId = 0;
  #ended: PlayerError | undefined;

  constructor(worker: PlayerWorker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }) => {
      this.#receive(data as PlayerAnswer);
    });
    worker.addEventListener('error', ({ message }) => {
      this.#end({ name: 'WorkerError', message: message || 'the worker of the model could not start' });
    });
  }

  async load({ modelUrl, backend, onProgress, signal }: PlayerOptions): Promise<Player> {
    this.#onProgress = onProgress;
    const abort = (): void => {
      this.#end({ name: 'AbortError', message: 'the load was stopped' });
    };
    signal?.addEventListener('abort', abort);
    try {
      const info = await new Promise<PlayerInfo>((resolve, reject) => {
        this.#loading = { resolve, reject };
        if (signal?.aborted === true) abort();
        else this.#send({ kind: 'load', modelUrl, backend });
      });
      return {
        info,
        decide: (prompt) => this.#decide(prompt),
        dispose: () => {
          this.#end({ name: 'DisposedError', message: 'the player was put away' });
        },
      };
    } catch (error) {
      this.#worker.terminate();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #decide(prompt: string): Promise<Decision> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      const id = this.#nextId++;
      this.#decisions.set(id, { resolve, reject });
      this.#send({ kind: 'decide', id, prompt });
    });
  }

  #receive(answer: PlayerAnswer): void {
    switch (answer.kind) {
      case 'progress':
        this.#onProgress?.(answer.progress);
        break;
      case 'loaded':
        this.#loading?.resolve(answer.info);
        break;
      case 'decided':
        this.#take(answer.id)?.resolve(answer.decision);
        break;
      case 'failed': {
        const error = new PlayerError(answer.failure);
        if (answer.id === undefined) this.#loading?.reject(error);
        else this.#take(answer.id)?.reject(error);
      }
    }
  }

  #take(id: number): Waiting<Decision> | undefined {
    const waiting = this.#decisions.get(id);
    this.#decisions.delete(id);
    return waiting;
  }

  #send(request: PlayerRequest): void {
    this.#worker.postMessage(request);
  }

  /** Nothing comes from an ended worker any more, so whoever waits is told. */
  #end(failure: Failure): void {
    this.#worker.terminate();
    this.#ended ??= new PlayerError(failure);
    this.#loading?.reject(this.#ended);
    for (const { reject } of this.#decisions.values()) reject(this.#ended);
    this.#decisions.clear();
  }
}
