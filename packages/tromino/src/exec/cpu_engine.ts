import { allocatePlanArrays, runPlan } from '../cpu/run_plan.ts';
import type { PackedBatch } from '../graph/batch.ts';
import type { BatchShape, WeightValues } from '../graph/graph.ts';
import type { ProgressTracker } from '../io/progress.ts';
import { defaultCaps, type DeviceCaps } from '../kernels/index.ts';
import type { ModelDefinition } from '../models/model_definition.ts';
import { buildPlan, type PlanOptions } from '../plan/build_plan.ts';
import { runBytes, type Plan } from '../plan/plan.ts';
import type { DType } from '../tensor/dtype.ts';
import { elementCount } from '../tensor/shape.ts';
import { throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';
import { DisposedError, OutOfMemoryError, UnsupportedError } from '../util/errors.ts';
import type { MemoryAccount, MemoryCategory, MemoryReport } from '../util/memory_account.ts';
import { Mutex } from '../util/mutex.ts';
import type { Engine } from './engine.ts';
import { loadWeights } from './load_weights.ts';
import { PlanCache } from './plan_cache.ts';
import type { Profile } from './profile.ts';
import type { ResolvedWeights } from './resolve_weights.ts';
import type { OnStep } from './tap.ts';

/** Arrays have no binding limit, so weights are never cut. */
const cpuCaps: DeviceCaps = {
  ...defaultCaps,
  maxStorageBufferBindingSize: Number.MAX_SAFE_INTEGER,
  maxBufferSize: Number.MAX_SAFE_INTEGER,
  minUniformBufferOffsetAlignment: 16,
};

/** What a load on the CPU needs beside the model. */
export interface CpuLoad {
  readonly account: MemoryAccount;
  readonly resolved: ResolvedWeights;
  readonly progress: ProgressTracker;
  readonly planOptions: PlanOptions;
  readonly signal: AbortSignal | undefined;
}

/** Runs a model on the portable backend, with the same plans and the same accounting as on a GPU. */
export class CpuEngine implements Engine {
  readonly backend = 'cpu';
  readonly adapter = {
    vendor: 'cpu',
    architecture: '',
    device: '',
    description: 'portable backend',
    isSoftware: true,
  };
  readonly #account: MemoryAccount;
  readonly #plans: PlanCache;
  readonly #weights: ReadonlyMap<string, WeightValues>;
  readonly #line = new Mutex();
  #isDisposed = false;

  private constructor(
    definition: ModelDefinition,
    load: CpuLoad,
    weights: ReadonlyMap<string, WeightValues>,
  ) {
    this.#account = load.account;
    this.#plans = new PlanCache((shape) => buildPlan(definition.graph(shape), cpuCaps, load.planOptions));
    this.#weights = weights;
  }

  /** Reads the weights into arrays; on failure or abort nothing stays counted. */
  static async load(definition: ModelDefinition, load: CpuLoad): Promise<CpuEngine> {
    const { account } = load;
    account.requireRoomFor(
      'weights',
      Object.fromEntries(definition.weights.map(({ name, shape }) => [name, elementCount(shape) * 4])),
    );
    const weights = new Map<string, WeightValues>();
    try {
      for (const { name, shape, dtype } of definition.weights) {
        weights.set(name, allocate(name, dtype, elementCount(shape)));
        account.add('weights', elementCount(shape) * 4);
      }
      await loadWeights(
        load.resolved,
        (weight, firstElement, values) => {
          must(weights.get(weight), weight).set(values, firstElement);
        },
        load.progress,
        load.signal,
      );
      return new CpuEngine(definition, load, weights);
    } catch (error) {
      for (const { byteLength } of weights.values()) account.remove('weights', byteLength);
      throw error;
    }
  }

  plan(shape: BatchShape): Plan {
    return this.#plans.get(shape);
  }

  prepare(_shape: BatchShape, signal?: AbortSignal): Promise<void> {
    this.#throwIfDisposed();
    throwIfAborted(signal);
    return Promise.resolve();
  }

  run(batch: PackedBatch, signal?: AbortSignal): Promise<Float32Array> {
    return this.#inLine(batch, undefined, signal);
  }

  async tap(batch: PackedBatch, onStep: OnStep, signal?: AbortSignal): Promise<void> {
    await this.#inLine(batch, onStep, signal);
  }

  profile(): Promise<Profile> {
    return Promise.reject(
      new UnsupportedError('profile', 'the portable backend is not to be timed; use WebGPU'),
    );
  }

  async #inLine(batch: PackedBatch, onStep: OnStep | undefined, signal?: AbortSignal): Promise<Float32Array> {
    this.#throwIfDisposed();
    const endTurn = await this.#line.acquire(signal);
    try {
      this.#throwIfDisposed();
      return await this.#runInTurn(batch, onStep, signal);
    } finally {
      endTurn();
    }
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  memory(): MemoryReport {
    return this.#account.report();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const { byteLength } of this.#weights.values()) this.#account.remove('weights', byteLength);
  }

  async #runInTurn(
    batch: PackedBatch,
    onStep: OnStep | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array> {
    const plan = this.plan(batch.shape);
    const parts = runBytes(plan);
    this.#account.requireRoomFor('run', parts);
    const counted = Object.entries(parts) as [MemoryCategory, number][];
    for (const [category, sizeBytes] of counted) this.#account.add(category, sizeBytes);
    try {
      const weightOf = (index: number): WeightValues => {
        this.#throwIfDisposed();
        const { weight } = must(plan.weights[index], 'weight');
        return must(this.#weights.get(weight), weight);
      };
      return await runPlan(plan, allocatePlanArrays(plan), weightOf, batch, { onStep, signal });
    } finally {
      for (const [category, sizeBytes] of counted) this.#account.remove(category, sizeBytes);
    }
  }

  #throwIfDisposed(): void {
    if (this.#isDisposed) throw new DisposedError('the model');
  }
}

function allocate(name: string, dtype: DType, numElements: number): WeightValues {
  try {
    return dtype === 'u32' ? new Uint32Array(numElements) : new Float32Array(numElements);
  } catch (error) {
    throw Object.assign(new OutOfMemoryError(name, numElements * 4), { cause: error });
  }
}
