import type { PackedBatch } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import type { AdapterDescription } from '../gpu/adapter.ts';
import type { Plan } from '../plan/plan.ts';
import type { MemoryReport } from '../util/memory_account.ts';
import type { Profile } from './profile.ts';
import type { OnStep } from './tap.ts';

/** A loaded model on some backend: batches in, the wanted output out. */
export interface Engine {
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** What a run of this shape would do and take. No GPU work, nothing allocated. */
  plan(shape: BatchShape): Plan;
  /** Makes everything a run of this shape needs but the run itself, so that the first one is as fast as the next. */
  prepare(shape: BatchShape, signal?: AbortSignal): Promise<void>;
  /** @returns the output that the batch's shape names: a vector for each row or each token of the batch, row-major. */
  run(batch: PackedBatch, signal?: AbortSignal): Promise<Float32Array>;
  /** Runs step by step and hands over what each step wrote. */
  tap(batch: PackedBatch, onStep: OnStep, signal?: AbortSignal): Promise<void>;
  /** Times each step on the device. @throws UnsupportedError where the backend or the device has no clock for it. */
  profile(batch: PackedBatch, repeats: number, signal?: AbortSignal): Promise<Profile>;
  /** Gives back everything but the weights; resolves when the bytes are free. */
  release(): Promise<void>;
  memory(): MemoryReport;
  /** Gives everything back. Calls that are waiting are rejected; one that is on the device is left to end first. */
  dispose(): void;
}
