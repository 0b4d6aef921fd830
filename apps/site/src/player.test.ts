import { describe, expect, it } from 'vitest';
import { loadPlayer } from './player.ts';
import type { PlayerAnswer, PlayerRequest } from './player_protocol.ts';
import { decisionFor, playerInfo } from './testing.ts';

/** A worker that records what it is asked and answers when told. */
class FakeWorker {
  readonly requests: PlayerRequest[] = [];
  isTerminated = false;
  readonly #events = new EventTarget();

  postMessage(request: PlayerRequest): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  addEventListener(type: string, listener: EventListener): void {
    this.#events.addEventListener(type, listener);
  }

  answer(data: PlayerAnswer): void {
    this.#events.dispatchEvent(new MessageEvent('message', { data }));
  }

  fail(message: string): void {
    this.#events.dispatchEvent(Object.assign(new Event('error'), { message }));
  }
}

const options = { modelUrl: 'models/a/', backend: 'auto', onProgress: () => undefined } as const;

async function loaded(worker: FakeWorker): ReturnType<typeof loadPlayer> {
  const loading = loadPlayer(options, worker);
  worker.answer({ kind: 'loaded', info: playerInfo });
  return loading;
}

describe('loadPlayer', () => {
  it('asks the worker to load, passes progress on, and resolves with what the model says of itself', async () => {
    const worker = new FakeWorker();
    const fractions: (number | undefined)[] = [];
    const loading = loadPlayer(
      { ...options, onProgress: ({ fraction }) => fractions.push(fraction) },
      worker,
    );
    expect(worker.requests).toEqual([{ kind: 'load', modelUrl: 'models/a/', backend: 'auto' }]);
    worker.answer({
      kind: 'progress',
      progress: { phase: 'weights', loadedBytes: 1, totalBytes: 4, fraction: 0.25 },
    });
    worker.answer({ kind: 'loaded', info: playerInfo });
    expect((await loading).info).toEqual(playerInfo);
    expect(fractions).toEqual([0.25]);
  });

  it("rejects with the runtime's error by name and ends the worker", async () => {
    const worker = new FakeWorker();
    const loading = loadPlayer(options, worker);
    const failure = { name: 'SourceError', message: 'config.json: found none' };
    worker.answer({ kind: 'failed', id: undefined, failure });
    await expect(loading).rejects.toMatchObject(failure);
    expect(worker.isTerminated).toBe(true);
  });

  it('rejects when the worker cannot start', async () => {
    const worker = new FakeWorker();
    const loading = loadPlayer(options, worker);
    worker.fail('no such script');
    await expect(loading).rejects.toMatchObject({ name: 'WorkerError', message: 'no such script' });
  });

  it('stops by its signal, before and during the load', async () => {
    const early = loadPlayer({ ...options, signal: AbortSignal.abort() }, new FakeWorker());
    await expect(early).rejects.toMatchObject({ name: 'AbortError' });
    const controller = new AbortController();
    const worker = new FakeWorker();
    const late = loadPlayer({ ...options, signal: controller.signal }, worker);
    controller.abort();
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(worker.isTerminated).toBe(true);
  });
});

describe('a player', () => {
  it('gives each answer to the call that asked for it', async () => {
    const worker = new FakeWorker();
    const player = await loaded(worker);
    const first = player.decide('one');
    const second = player.decide('two');
    expect(worker.requests.slice(1)).toEqual([
      { kind: 'decide', id: 0, prompt: 'one' },
      { kind: 'decide', id: 1, prompt: 'two' },
    ]);
    worker.answer({ kind: 'decided', id: 1, decision: decisionFor(2) });
    worker.answer({ kind: 'failed', id: 0, failure: { name: 'DeviceLostError', message: 'gone' } });
    expect(await second).toEqual(decisionFor(2));
    await expect(first).rejects.toMatchObject({ name: 'DeviceLostError', message: 'gone' });
  });

  it('rejects open and later decisions once it is disposed of', async () => {
    const worker = new FakeWorker();
    const player = await loaded(worker);
    const open = player.decide('one');
    player.dispose();
    await expect(open).rejects.toMatchObject({ name: 'DisposedError' });
    await expect(player.decide('two')).rejects.toMatchObject({ name: 'DisposedError' });
    expect(worker.isTerminated).toBe(true);
  });

  it('rejects open decisions when its worker crashes', async () => {
    const worker = new FakeWorker();
    const player = await loaded(worker);
    const open = player.decide('one');
    worker.fail('out of memory');
    await expect(open).rejects.toMatchObject({ name: 'WorkerError', message: 'out of memory' });
  });
});
