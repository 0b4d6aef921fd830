import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import { createOwnedBuffer, type OwnedBuffer } from '../gpu/ledger.ts';
import type { WeightValues } from '../graph/graph.ts';
import type { ProgressTracker } from '../io/progress.ts';
import type { PlannedWeight } from '../plan/plan.ts';
import { assert, must } from '../util/assert.ts';
import type { MemoryAccount } from '../util/memory_account.ts';
import { awaitQueue } from './fence.ts';
import { loadWeights } from './load_weights.ts';
import type { ResolvedWeights } from './resolve_weights.ts';

/** Bytes that may wait in the queue's own staging before an upload pauses for the device to take them. */
const uploadWindowBytes = 32 * 1024 * 1024;

/** One planned run of a weight's rows in its buffer. */
interface Chunk {
  readonly planned: PlannedWeight;
  readonly owned: OwnedBuffer;
}

/** A model's weights on the device, each in one buffer or in several runs of rows. */
export class WeightStore {
  readonly #chunks = new Map<string, Chunk[]>();

  /**
   * Allocates all weights, then streams them up. On any failure, and on abort, nothing stays allocated.
   * @throws OutOfMemoryError, DeviceLostError, the source's errors, or the signal's reason.
   */
  static async load(
    context: GpuContext,
    account: MemoryAccount,
    planned: readonly PlannedWeight[],
    resolved: ResolvedWeights,
    progress: ProgressTracker,
    signal: AbortSignal | undefined,
  ): Promise<WeightStore> {
    const store = new WeightStore();
    try {
      const sizes = Object.fromEntries(
        planned.map(({ weight, firstRow, sizeBytes }) => [`${weight}@${firstRow}`, sizeBytes]),
      );
      account.requireRoomFor('weights', sizes);
      const totalBytes = planned.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const allocation = withErrorScopes(context.device, 'weights', totalBytes, () => {
        store.#allocate(context, account, planned);
      });
      // Not abandoned on abort: its buffers must be in the store before the store is disposed.
      await context.guard(allocation);
      await store.#upload(context, resolved, progress, signal);
      return store;
    } catch (error) {
      store.dispose();
      context.throwIfLost();
      throw error;
    }
  }

  /** The buffer that holds these rows. */
  buffer({ weight, firstRow }: PlannedWeight): GPUBuffer {
    const chunk = this.#chunks.get(weight)?.find(({ planned }) => planned.firstRow === firstRow);
    return must(chunk, `${weight} from row ${firstRow}`).owned.buffer;
  }

  dispose(): void {
    for (const chunks of this.#chunks.values()) for (const { owned } of chunks) owned.destroy();
    this.#chunks.clear();
  }

  #allocate(context: GpuContext, account: MemoryAccount, planned: readonly PlannedWeight[]): void {
    for (const run of planned) {
      const { weight, sizeBytes } = run;
      const owned = createOwnedBuffer(context.device, account, {
        label: weight,
        category: 'weights',
        sizeBytes,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
      });
      const chunks = this.#chunks.get(weight) ?? [];
      chunks.push({ planned: run, owned });
      this.#chunks.set(weight, chunks);
    }
  }

  async #upload(
    context: GpuContext,
    resolved: ResolvedWeights,
    progress: ProgressTracker,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { queue } = context.device;
    let waitingBytes = 0;
    const flush = async (): Promise<void> => {
      waitingBytes = 0;
      queue.submit([]);
      await awaitQueue(context, signal);
    };
    await loadWeights(
      resolved,
      async (weight, firstElement, values) => {
        context.throwIfLost();
        this.#write(queue, weight, firstElement, values);
        waitingBytes += values.byteLength;
        if (waitingBytes >= uploadWindowBytes) await flush();
      },
      progress,
      signal,
    );
    await flush();
  }

  /** Writes elements that may lie across several chunks of their weight. */
  #write(queue: GPUQueue, weight: string, firstElement: number, values: WeightValues): void {
    const end = firstElement + values.length;
    for (const { planned, owned } of must(this.#chunks.get(weight), weight)) {
      if (planned.lines) {
        queue.writeBuffer(owned.buffer, 0, linesOf(planned, planned.lines, firstElement, values));
        continue;
      }
      const from = Math.max(firstElement, planned.firstElement);
      const to = Math.min(end, planned.firstElement + owned.sizeBytes / 4);
      if (from >= to) continue;
      const [offsetBytes, dataOffset] = [(from - planned.firstElement) * 4, from - firstElement];
      queue.writeBuffer(owned.buffer, offsetBytes, values, dataOffset, to - from);
    }
  }
}

/** A run of rows that lie side by side: its part of every line. Only assembled weights lie so, which come whole. */
function linesOf(
  { weight, numRows, firstElement }: PlannedWeight,
  { count, length }: NonNullable<PlannedWeight['lines']>,
  offset: number,
  values: WeightValues,
): Uint32Array<ArrayBuffer> {
  assert(offset === 0 && values.length === count * length, `${weight} did not come whole`);
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const run = new Uint32Array(count * numRows);
  for (let line = 0; line < count; line++) {
    const begin = line * length + firstElement;
    run.set(bits.subarray(begin, begin + numRows), line * numRows);
  }
  return run;
}
