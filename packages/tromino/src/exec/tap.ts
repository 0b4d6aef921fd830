import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import { createOwnedBuffer } from '../gpu/ledger.ts';
import { stepOutput, type DispatchStep } from '../plan/plan.ts';
import { abortable, throwIfAborted } from '../util/abort.ts';
import type { MemoryAccount } from '../util/memory_account.ts';
import { submitAndAwait } from './fence.ts';
import type { PlanBuffers } from './plan_buffers.ts';
import { dispatchesOf, type Recording } from './record.ts';
import { submit } from './submit.ts';

/** What one step wrote. */
export interface TappedStep {
  /** Place among the plan's steps. */
  readonly index: number;
  readonly step: DispatchStep;
  /** The whole output, row-major. Of rows in int8 it is the bytes as they lie in memory, which are no floats. */
  readonly values: Float32Array;
}

/**
 * Hears of every step in order; the next one runs when it has returned. What it throws ends the tap. A
 * call of the same model waits for the tap's end, so it must not be awaited here.
 */
export type OnStep = (tapped: TappedStep) => void | Promise<void>;

/**
 * Submits a recording's dispatches one by one and copies out what each wrote: the place where two builds first differ is the first step whose
 * values do. Bits are those of an ordinary run, since every dispatch is the same.
 */
export async function tapRecording(
  context: GpuContext,
  account: MemoryAccount,
  recording: Recording,
  buffers: PlanBuffers,
  onStep: OnStep,
  signal: AbortSignal | undefined,
): Promise<void> {
  const dispatches = dispatchesOf(recording);
  const largestBytes = Math.max(...dispatches.map(({ step }) => stepOutput(step).sizeBytes));
  account.requireRoomFor('tap', { readback: largestBytes });
  const staging = await withErrorScopes(
    context.device,
    'tap',
    largestBytes,
    () =>
      createOwnedBuffer(context.device, account, {
        label: 'tap',
        category: 'readback',
        sizeBytes: largestBytes,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      }),
    (refused) => {
      refused.destroy();
    },
  );
  try {
    for (const [index, dispatch] of dispatches.entries()) {
      throwIfAborted(signal);
      const { ref, sizeBytes } = stepOutput(dispatch.step);
      const copy = {
        kind: 'copy',
        source: buffers.of(ref),
        destination: staging.buffer,
        destinationOffset: 0,
        sizeBytes,
      } as const;
      await submitAndAwait(
        context,
        dispatch.step.label,
        sizeBytes,
        () => {
          submit(context.device, [dispatch, copy]);
        },
        () => staging.buffer.mapAsync(GPUMapMode.READ),
      );
      const values = new Float32Array(staging.buffer.getMappedRange(0, sizeBytes).slice(0));
      staging.buffer.unmap();
      // Not waited for after an abort: a callback that never returns must not hold the device.
      await abortable(Promise.resolve(onStep({ index, step: dispatch.step, values })), signal);
    }
  } finally {
    staging.destroy();
  }
}
