import type { PackedBatch } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import type { Plan } from '../plan/plan.ts';
import { abortable, throwIfAborted } from '../util/abort.ts';
import { DisposedError } from '../util/errors.ts';
import type { MemoryReport } from '../util/memory_account.ts';
import type { Engine } from './engine.ts';
import type { GpuEngine } from './gpu_engine.ts';
import type { Profile } from './profile.ts';
import type { OnStep } from './tap.ts';

/**
 * A GPU engine that outlives its device. Calls that are running or waiting when the device is lost reject with a DeviceLostError; the next
 * call after that loads the weights again from where they came from, on a new device, and then runs.
 */
export class RevivingEngine implements Engine {
  readonly backend = 'webgpu';
  readonly #load: (signal: AbortSignal) => Promise<GpuEngine>;
  #engine: GpuEngine;
  #reviving: Promise<void> | undefined;
  /** Aborts when the model is disposed of: a load that is under way ends with it. */
  readonly #end = new AbortController();

  /** @param load loads the weights as `engine` was loaded; called again after each loss. */
  constructor(engine: GpuEngine, load: (signal: AbortSignal) => Promise<GpuEngine>) {
    this.#engine = engine;
    this.#load = load;
  }

  get adapter(): Engine['adapter'] {
    return this.#engine.adapter;
  }

  plan(shape: BatchShape): Plan {
    return this.#engine.plan(shape);
  }

  async prepare(shape: BatchShape, signal?: AbortSignal): Promise<void> {
    await (await this.#alive(signal)).prepare(shape, signal);
  }

  async run(batch: PackedBatch, signal?: AbortSignal): Promise<Float32Array> {
    return (await this.#alive(signal)).run(batch, signal);
  }

  async tap(batch: PackedBatch, onStep: OnStep, signal?: AbortSignal): Promise<void> {
    await (await this.#alive(signal)).tap(batch, onStep, signal);
  }

  async profile(batch: PackedBatch, repeats: number, signal?: AbortSignal): Promise<Profile> {
    return (await this.#alive(signal)).profile(batch, repeats, signal);
  }

  async release(): Promise<void> {
    if (!this.#engine.isLost) await this.#engine.release();
  }

  memory(): MemoryReport {
    return this.#engine.memory();
  }

  dispose(): void {
    this.#end.abort(new DisposedError('the model'));
    this.#engine.dispose();
  }

  /** The engine, on a device that is there. Calls that come while it is being loaded again wait for the same load. */
  async #alive(signal: AbortSignal | undefined): Promise<GpuEngine> {
    if (this.#engine.isLost && !this.#end.signal.aborted) {
      this.#reviving ??= this.#revive().finally(() => {
        this.#reviving = undefined;
      });
      await abortable(this.#reviving, signal);
    }
    return this.#engine;
  }

  async #revive(): Promise<void> {
    this.#engine.dispose();
    const engine = await this.#load(this.#end.signal);
    if (this.#end.signal.aborted) engine.dispose();
    throwIfAborted(this.#end.signal);
    this.#engine = engine;
  }
}
