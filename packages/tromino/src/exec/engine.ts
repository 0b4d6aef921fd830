import type { PackedBatch } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import type { AdapterDescription } from '../gpu/adapter.ts';
import type { Plan } from '../plan/plan.ts';
import type { MemoryReport } from '../util/memory_account.ts';

/** A loaded model on some backend: batches in, one row of scores for each row of the batch out. */
export interface Engine {
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** What a run of this shape would do and take. No GPU work, nothing allocated. */
  plan(shape: BatchShape): Plan;
  /** Makes everything a run of this shape needs but the run itself, so that the first one is as fast as the next. */
  prepare(shape: BatchShape, signal?: AbortSignal): Promise<void>;
  /** @returns [numRows, scoresPerRow], row-major. */
  run(batch: PackedBatch, signal?: AbortSignal): Promise<Float32Array>;
  /** Gives back everything but the weights; resolves when the bytes are free. */
  release(): Promise<void>;
  memory(): MemoryReport;
  /** Gives everything back. Calls that are waiting are rejected; one that is on the device is left to end first. */
  dispose(): void;
}

/** How large a file is read at once, where a file's bytes are turned into floats. */
export type OnBytesLoaded = (sizeBytes: number) => void;
