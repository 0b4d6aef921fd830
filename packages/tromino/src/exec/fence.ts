import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import { GpuError } from '../util/errors.ts';
import { keepNudging } from './nudge.ts';

/**
 * Does what submits work, then waits until the device has judged it and done it.
 * @param neededBytes what the work holds, for the message where the device is out of memory.
 * @param fence asked for right behind the submission: the mapping of a readback, or the queue's own word.
 * @throws GpuError or OutOfMemoryError as the submission's error scopes report; DeviceLostError.
 */
export async function submitAndAwait(
  context: GpuContext,
  subject: string,
  neededBytes: number,
  submission: () => void,
  fence: () => Promise<undefined>,
): Promise<void> {
  const judged = withErrorScopes(context.device, subject, neededBytes, submission);
  const done = fence();
  // The submission's own error says more than the failed fence that follows from it.
  done.catch(() => undefined);
  await whileNudging(context, async () => {
    await context.guard(judged);
    try {
      await context.guard(done);
    } catch (error) {
      context.throwIfLost();
      // A failed mapping is called AbortError by the platform: it must not look like an abort of the caller's.
      const detail = error instanceof Error ? error.message : String(error);
      throw new GpuError(`${subject}: the fence failed: ${detail}`, { cause: error });
    }
  });
}

/** Waits until the device has done everything that was submitted so far. @throws DeviceLostError; the signal's reason. */
export function awaitQueue(context: GpuContext, signal: AbortSignal | undefined): Promise<void> {
  const done = context.device.queue.onSubmittedWorkDone();
  return whileNudging(context, () => context.guard(done, signal));
}

/** Nudges the device until the wait has ended, whichever way. */
async function whileNudging({ device }: GpuContext, wait: () => Promise<void>): Promise<void> {
  const stop = keepNudging(device.queue);
  try {
    await wait();
  } finally {
    stop();
  }
}
