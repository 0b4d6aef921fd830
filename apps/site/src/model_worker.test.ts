import { describe, expect, it, vi } from 'vitest';
import type { ModelAnswer, ModelRequest } from './model_protocol.ts';
import { loadInWorker, type WorkerModel } from './model_worker.ts';

/** A worker that records what it is asked and answers when told. */
class FakeWorker {
  readonly requests: ModelRequest<string>[] = [];
  isTerminated = false;
  readonly #events = new EventTarget();

  postMessage(request: ModelRequest<string>): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  addEventListener(type: string, listener: EventListener): void {
    this.#events.addEventListener(type, listener);
  }

  answer(data: ModelAnswer<string, string>): void {
    this.#events.dispatchEvent(new MessageEvent('message', { data }));
  }

  fail(message: string): void {
    this.#events.dispatchEvent(Object.assign(new Event('error'), { message }));
  }
}

type TextModel = WorkerModel<string, string, string>;

const options = { modelUrl: 'models/a/', backend: 'auto', onProgress: () => undefined } as const;

const load = (worker: FakeWorker, more?: { readonly signal: AbortSignal }): Promise<TextModel> =>
  loadInWorker<string, string, string>({ ...options, ...more }, worker);

function loaded(worker: FakeWorker): Promise<TextModel> {
  const loading = load(worker);
  worker.answer({ kind: 'loaded', info: 'it' });
  return loading;
}

describe('loadInWorker', () => {
  it('asks the worker to load, passes progress on, and resolves with what the model says of itself', async () => {
    const worker = new FakeWorker();
    const fractions: (number | undefined)[] = [];
    const loading = loadInWorker(
      { ...options, onProgress: ({ fraction }) => fractions.push(fraction) },
      worker,
    );
    expect(worker.requests).toEqual([{ kind: 'load', choice: { modelUrl: 'models/a/', backend: 'auto' } }]);
    worker.answer({
      kind: 'progress',
      progress: { phase: 'weights', loadedBytes: 1, totalBytes: 4, fraction: 0.25 },
    });
    worker.answer({ kind: 'loaded', info: 'it' });
    expect((await loading).info).toBe('it');
    expect(fractions).toEqual([0.25]);
  });

  it("rejects with the runtime's error by name and ends the worker", async () => {
    const worker = new FakeWorker();
    const loading = load(worker);
    const failure = { name: 'SourceError', message: 'config.json: found none' };
    worker.answer({ kind: 'failed', id: undefined, failure });
    await expect(loading).rejects.toMatchObject(failure);
    expect(worker.isTerminated).toBe(true);
  });

  it('rejects when the worker cannot start', async () => {
    const worker = new FakeWorker();
    const loading = load(worker);
    worker.fail('no such script');
    await expect(loading).rejects.toMatchObject({ name: 'WorkerError', message: 'no such script' });
  });

  it('stops by its signal, before and during the load', async () => {
    const early = load(new FakeWorker(), { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const worker = new FakeWorker();
    const late = load(worker, { signal: controller.signal });
    controller.abort();
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(worker.isTerminated).toBe(true);
  });
});

describe('a model in a worker', () => {
  it('gives each answer to the call that asked for it', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const first = model.ask('one');
    const second = model.ask('two');
    expect(worker.requests.slice(1)).toEqual([
      { kind: 'call', id: 0, call: 'one' },
      { kind: 'call', id: 1, call: 'two' },
    ]);
    worker.answer({ kind: 'done', id: 1, result: 'second' });
    worker.answer({ kind: 'failed', id: 0, failure: { name: 'DeviceLostError', message: 'gone' } });
    expect(await second).toBe('second');
    await expect(first).rejects.toMatchObject({ name: 'DeviceLostError', message: 'gone' });
  });

  it('passes on how much an open call has to read, to that call only', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const told: [string, number][] = [];
    const ask = (name: string): Promise<string> =>
      model.ask(name, undefined, ({ numRows }) => told.push([name, numRows]));
    const calls = [ask('one'), ask('two')];
    worker.answer({ kind: 'extent', id: 1, extent: { numWindows: 2, numRows: 4 } });
    worker.answer({ kind: 'done', id: 1, result: 'second' });
    worker.answer({ kind: 'extent', id: 1, extent: { numWindows: 2, numRows: 9 } });
    worker.answer({ kind: 'extent', id: 0, extent: { numWindows: 2, numRows: 6 } });
    worker.answer({ kind: 'done', id: 0, result: 'first' });
    expect(await Promise.all(calls)).toEqual(['first', 'second']);
    expect(told).toEqual([
      ['two', 4],
      ['one', 6],
    ]);
  });

  it('rejects open and later calls once it is disposed of', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const open = model.ask('one');
    model.dispose();
    await expect(open).rejects.toMatchObject({ name: 'DisposedError' });
    await expect(model.ask('two')).rejects.toMatchObject({ name: 'DisposedError' });
    expect(worker.isTerminated).toBe(true);
  });

  it('rejects open calls when its worker crashes', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const open = model.ask('one');
    worker.fail('out of memory');
    await expect(open).rejects.toMatchObject({ name: 'WorkerError', message: 'out of memory' });
  });

  it('stops a call by its signal, tells the worker, and drops what still comes of it', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const controller = new AbortController();
    const stopped = model.ask('one', controller.signal);
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect(worker.requests.at(-1)).toEqual({ kind: 'abort', id: 0 });
    worker.answer({ kind: 'done', id: 0, result: 'late' });
    const next = model.ask('two');
    worker.answer({ kind: 'done', id: 1, result: 'next' });
    expect(await next).toBe('next');
  });

  it('asks nothing of the worker where the signal is aborted already, and aborts nothing that is done', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    await expect(model.ask('one', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const done = model.ask('two', controller.signal);
    worker.answer({ kind: 'done', id: 0, result: 'two' });
    expect(await done).toBe('two');
    controller.abort();
    expect(worker.requests.slice(1)).toEqual([{ kind: 'call', id: 0, call: 'two' }]);
  });

  it('leaves nothing at a signal that outlives a call, however the call ends', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const calls = ['done', 'failed', 'disposed'].map((call) => model.ask(call, signal));
    worker.answer({ kind: 'done', id: 0, result: 'one' });
    worker.answer({ kind: 'failed', id: 1, failure: { name: 'GpuError', message: 'no' } });
    model.dispose();
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const listeners = added.mock.calls.map(([, listener]) => listener);
    expect(new Set(listeners).size).toBe(3);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(listeners);
  });

  it('rejects a call that cannot be sent, and forgets it', async () => {
    const worker = new FakeWorker();
    const model = await loaded(worker);
    const controller = new AbortController();
    const refusal = new DOMException('could not be cloned', 'DataCloneError');
    const refused = vi.spyOn(worker, 'postMessage').mockImplementationOnce(() => {
      throw refusal;
    });
    await expect(model.ask('one', controller.signal)).rejects.toBe(refusal);
    controller.abort();
    expect(refused).toHaveBeenCalledTimes(1);
    const next = model.ask('two');
    worker.answer({ kind: 'done', id: 1, result: 'next' });
    expect(await next).toBe('next');
  });
});
