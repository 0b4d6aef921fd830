import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import type { PackedBatch } from '../graph/batch.ts';
import { runBytes, type Plan } from '../plan/plan.ts';
import { throwIfAborted } from '../util/abort.ts';
import type { MemoryAccount } from '../util/memory_account.ts';
import { submitAndAwait } from './fence.ts';
import { PlanBuffers } from './plan_buffers.ts';
import { pipelinesOf } from './plan_pipelines.ts';
import { profileRecording, type Profile } from './profile.ts';
import { recordPlan, type Recording } from './record.ts';
import { submit } from './submit.ts';
import { tapRecording, type OnStep } from './tap.ts';
import type { WeightStore } from './weight_store.ts';

/** A plan with everything that its runs need: buffers, pipelines, bind groups and the recording. */
export class PreparedPlan {
  readonly plan: Plan;
  readonly #context: GpuContext;
  readonly #account: MemoryAccount;
  readonly #buffers: PlanBuffers;
  #recording: Recording = [];
  #slices: readonly Recording[] = [];

  private constructor(plan: Plan, context: GpuContext, account: MemoryAccount, weights: WeightStore) {
    this.plan = plan;
    this.#context = context;
    this.#account = account;
    this.#buffers = new PlanBuffers(plan, context.device, weights);
  }

  /**
   * @throws OutOfMemoryError before anything is allocated if the budget does not allow it, or after everything was given back if the device
   * does not; GpuError where a kernel does not compile; DeviceLostError.
   */
  static async create(
    plan: Plan,
    context: GpuContext,
    account: MemoryAccount,
    weights: WeightStore,
  ): Promise<PreparedPlan> {
    const parts = runBytes(plan);
    account.requireRoomFor('run', parts);
    const prepared = new PreparedPlan(plan, context, account, weights);
    try {
      const pipelines = await context.guard(pipelinesOf(plan, context));
      const neededBytes = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
      const building = withErrorScopes(context.device, 'run', neededBytes, () => {
        prepared.#buffers.allocate(account);
        prepared.#recording = recordPlan(context.device, plan, prepared.#buffers, pipelines);
      });
      await context.guard(building);
      prepared.#slices = plan.slices.map(({ firstStep, endStep }) =>
        prepared.#recording.slice(firstStep, endStep),
      );
      return prepared;
    } catch (error) {
      prepared.dispose();
      context.throwIfLost();
      throw error;
    }
  }

  /**
   * Submits the recording for this batch, slice by slice, and waits for each slice's fence; the last one is the mapping of the readback copy
   * that ends its submission. The signal is looked at between slices: what was submitted runs to its end.
   * @throws GpuError or OutOfMemoryError as a submission's error scopes report; DeviceLostError; the signal's reason; never zeros in place
   * of scores.
   */
  async run(batch: PackedBatch, signal: AbortSignal | undefined): Promise<Float32Array> {
    try {
      for (const index of this.#slices.keys()) {
        throwIfAborted(signal);
        await this.#submitSlice(index, batch);
      }
    } catch (error) {
      this.#context.throwIfLost();
      throw error;
    }
    const { readback } = this.#buffers;
    const scores = new Float32Array(readback.getMappedRange().slice(0));
    readback.unmap();
    return scores.subarray(0, this.plan.bytes.readback / 4);
  }

  /** Runs the recording step by step and hands over what each step wrote. */
  tap(batch: PackedBatch, onStep: OnStep, signal: AbortSignal | undefined): Promise<void> {
    this.#buffers.writeInputs(batch);
    return tapRecording(this.#context, this.#account, this.#recording, this.#buffers, onStep, signal);
  }

  /** Runs the recording with every dispatch in a timestamped pass of its own, several times. */
  profile(batch: PackedBatch, repeats: number, signal: AbortSignal | undefined): Promise<Profile> {
    this.#buffers.writeInputs(batch);
    return profileRecording(this.#context, this.#account, this.#recording, repeats, signal);
  }

  dispose(): void {
    this.#buffers.dispose();
    this.#recording = [];
    this.#slices = [];
  }

  #submitSlice(index: number, batch: PackedBatch): Promise<void> {
    const { device } = this.#context;
    const isLast = index === this.#slices.length - 1;
    return submitAndAwait(
      this.#context,
      'submission',
      this.plan.bytes.peak,
      () => {
        if (index === 0) this.#buffers.writeInputs(batch);
        submit(device, this.#slices[index] ?? []);
      },
      () => (isLast ? this.#buffers.readback.mapAsync(GPUMapMode.READ) : device.queue.onSubmittedWorkDone()),
    );
  }
}
