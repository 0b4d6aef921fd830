import type { GpuContext, GpuLease } from '../gpu/device.ts';
import type { PackedBatch } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import type { ProgressTracker } from '../io/progress.ts';
import type { ModelDefinition } from '../models/model_definition.ts';
import { buildPlan, type PlanOptions } from '../plan/build_plan.ts';
import type { Plan } from '../plan/plan.ts';
import { throwIfAborted } from '../util/abort.ts';
import { DisposedError, OutOfMemoryError } from '../util/errors.ts';
import type { MemoryAccount, MemoryReport } from '../util/memory_account.ts';
import type { Engine } from './engine.ts';
import { PlanCache, shapeKey } from './plan_cache.ts';
import { compileAhead } from './plan_pipelines.ts';
import { PreparedPlan } from './prepared_plan.ts';
import type { Profile } from './profile.ts';
import type { ResolvedWeights } from './resolve_weights.ts';
import type { OnStep } from './tap.ts';
import { WeightStore } from './weight_store.ts';

/** What a load on a GPU needs beside the model. */
export interface GpuLoad {
  readonly lease: GpuLease;
  readonly account: MemoryAccount;
  readonly resolved: ResolvedWeights;
  readonly progress: ProgressTracker;
  readonly planOptions: PlanOptions;
  /** Prepared plans kept between calls, least recently used out first. */
  readonly retainedPlans: number;
  /** The shape that the first call will likely have: its kernels are compiled while the weights arrive. */
  readonly likelyShape: BatchShape;
  readonly signal: AbortSignal | undefined;
}

/** The smallest batch there is. Weights are cut the same way in every plan, so any plan's list of them will do. */
const smallestBatch: BatchShape = { numTokens: 1, numRows: 1, maxRowTokens: 1, numPositions: 1 };

/** Runs a model on a GPU. One task is on the device at a time; the rest wait in line. */
export class GpuEngine implements Engine {
  readonly backend = 'webgpu';
  readonly #lease: GpuLease;
  readonly #account: MemoryAccount;
  readonly #weights: WeightStore;
  readonly #plans: PlanCache;
  readonly #retainedPlans: number;
  /** Least recently used first. */
  readonly #prepared = new Map<string, PreparedPlan>();
  readonly #stopListening: () => void;
  #isDisposed = false;
  /** Whether the device was lost before the model was disposed of: then the loss is what calls that were waiting hear of. */
  #wasLost = false;

  private constructor(definition: ModelDefinition, load: GpuLoad, weights: WeightStore) {
    this.#lease = load.lease;
    this.#account = load.account;
    this.#weights = weights;
    this.#plans = new PlanCache((shape) =>
      buildPlan(definition.graph(shape), load.lease.context.caps, load.planOptions),
    );
    this.#retainedPlans = load.retainedPlans;
    // What was on a lost device is gone: the account says so at once.
    this.#stopListening = load.lease.context.onLoss(() => {
      this.#giveBack();
    });
  }

  /** Uploads the weights. The lease stays the caller's until this resolves. */
  static async load(definition: ModelDefinition, load: GpuLoad): Promise<GpuEngine> {
    const { context } = load.lease;
    compileAhead(
      () => buildPlan(definition.graph(load.likelyShape), context.caps, load.planOptions),
      context,
    );
    const { weights: planned } = buildPlan(definition.graph(smallestBatch), context.caps, load.planOptions);
    const weights = await WeightStore.load(
      context,
      load.account,
      planned,
      load.resolved,
      load.progress,
      load.signal,
    );
    return new GpuEngine(definition, load, weights);
  }

  get adapter(): Engine['adapter'] {
    return this.#context.adapter;
  }

  /** Whether the device is gone: every call rejects from then on. */
  get isLost(): boolean {
    return this.#context.isLost;
  }

  get #context(): GpuContext {
    return this.#lease.context;
  }

  plan(shape: BatchShape): Plan {
    return this.#plans.get(shape);
  }

  prepare(shape: BatchShape, signal?: AbortSignal): Promise<void> {
    // With nothing to be kept, the compiled pipelines are what is left of it.
    return this.#withPlan(shape, signal, () => Promise.resolve());
  }

  run(batch: PackedBatch, signal?: AbortSignal): Promise<Float32Array> {
    return this.#withPlan(batch.shape, signal, (prepared) => prepared.run(batch, signal));
  }

  tap(batch: PackedBatch, onStep: OnStep, signal?: AbortSignal): Promise<void> {
    return this.#withPlan(batch.shape, signal, (prepared) => prepared.tap(batch, onStep, signal));
  }

  profile(batch: PackedBatch, repeats: number, signal?: AbortSignal): Promise<Profile> {
    return this.#withPlan(batch.shape, signal, (prepared) => prepared.profile(batch, repeats, signal));
  }

  async release(): Promise<void> {
    await this.#inLine(undefined, () => {
      this.#dropPlans(0);
      return Promise.resolve();
    });
  }

  memory(): MemoryReport {
    return this.#account.report();
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#wasLost = this.isLost;
    this.#stopListening();
    this.#giveBack();
    this.#lease.release();
  }

  #giveBack(): void {
    this.#dropPlans(0);
    this.#weights.dispose();
  }

  /**
   * Waits for the device, then does `work`. An abort rejects at once, but the turn lasts until the work has really ended: until then its
   * buffers are in use.
   */
  async #inLine<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#throwIfUnusable();
    const endTurn = await this.#context.line.acquire(signal);
    const working = this.#guarded(signal, work).finally(endTurn);
    try {
      return await this.#context.guard(working, signal);
    } catch (error) {
      throwIfAborted(signal);
      // With its last user gone a device goes too: that the model was disposed of is the cause, not that the device was lost.
      this.#throwIfDisposed();
      throw error;
    }
  }

  async #guarded<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    this.#throwIfUnusable();
    throwIfAborted(signal);
    try {
      return await work();
    } catch (error) {
      // Whatever failed, its buffers may be half written or still mapped: none of them is used again.
      this.#dropPlans(0);
      this.#throwIfUnusable();
      throw error;
    }
  }

  /** Uses a prepared plan when it is this call's turn; afterwards, as many are kept as may be. */
  #withPlan<T>(
    shape: BatchShape,
    signal: AbortSignal | undefined,
    use: (prepared: PreparedPlan) => Promise<T>,
  ): Promise<T> {
    return this.#inLine(signal, async () => {
      const result = await use(await this.#preparedPlan(shape));
      this.#throwIfUnusable();
      this.#dropPlans(this.#retainedPlans);
      return result;
    });
  }

  async #preparedPlan(shape: BatchShape): Promise<PreparedPlan> {
    const key = shapeKey(shape);
    const known = this.#prepared.get(key);
    if (known) {
      this.#prepared.delete(key);
      this.#prepared.set(key, known);
      return known;
    }
    // Room is made first, so that the peak of a run is what its plan says.
    this.#dropPlans(Math.max(0, this.#retainedPlans - 1));
    const prepared = await this.#createPlan(this.plan(shape));
    if (this.#isDisposed) {
      prepared.dispose();
      throw new DisposedError('the model');
    }
    this.#prepared.set(key, prepared);
    return prepared;
  }

  /** What is kept from earlier calls gives way to this one, where both do not fit. */
  async #createPlan(plan: Plan): Promise<PreparedPlan> {
    try {
      return await PreparedPlan.create(plan, this.#context, this.#account, this.#weights);
    } catch (error) {
      if (!(error instanceof OutOfMemoryError) || this.#prepared.size === 0) throw error;
      this.#dropPlans(this.#prepared.size - 1);
      return await this.#createPlan(plan);
    }
  }

  #dropPlans(keep: number): void {
    for (const [key, prepared] of this.#prepared) {
      if (this.#prepared.size <= keep) return;
      prepared.dispose();
      this.#prepared.delete(key);
    }
  }

  #throwIfUnusable(): void {
    this.#throwIfDisposed();
    this.#context.throwIfLost();
  }

  #throwIfDisposed(): void {
    if (this.#isDisposed && !this.#wasLost) throw new DisposedError('the model');
  }
}
