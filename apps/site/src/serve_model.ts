import type { OnProgress } from 'tromino';
import {
  failureOf,
  type CallExtent,
  type ModelAnswer,
  type ModelChoice,
  type ModelRequest,
} from './model_protocol.ts';

/** What a worker does with its model. */
export interface ModelService<Info, Call, Result> {
  /** Loads the model and says what it is. */
  load(choice: ModelChoice, onProgress: OnProgress): Promise<Info>;
  /** Runs it once. @param tell may be told how much there is to read. */
  call(call: Call, signal: AbortSignal, tell: (extent: CallExtent) => void): Promise<Result>;
}

/** Answers the page's requests; to be called once in a worker, so that the page stays smooth while its model thinks. */
export function serveModel<Info, Call, Result>(service: ModelService<Info, Call, Result>): void {
  const running = new Map<number, AbortController>();
  const send = (answer: ModelAnswer<Info, Result>): void => {
    self.postMessage(answer);
  };
  const load = async (choice: ModelChoice): Promise<void> => {
    const info = await service.load(choice, (progress) => {
      send({ kind: 'progress', progress });
    });
    send({ kind: 'loaded', info });
  };
  const run = async (id: number, call: Call): Promise<void> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = await service.call(call, controller.signal, (extent) => {
        send({ kind: 'extent', id, extent });
      });
      send({ kind: 'done', id, result });
    } finally {
      running.delete(id);
    }
  };
  self.addEventListener('message', ({ data }: MessageEvent<ModelRequest<Call>>) => {
    if (data.kind === 'abort') {
      running.get(data.id)?.abort();
      return;
    }
    const work = data.kind === 'load' ? load(data.choice) : run(data.id, data.call);
    work.catch((error: unknown) => {
      send({
        kind: 'failed',
        id: data.kind === 'call' ? data.id : undefined,
        failure: failureOf(error),
      });
    });
  });
}
