import { GpuError, OutOfMemoryError } from '../util/errors.ts';

/**
 * Runs synchronous GPU calls and resolves when the device has judged them. The scopes are opened and closed around the synchronous part
 * alone: they are a stack that all users of a device share, and anything awaited in between would mix up whose errors are whose.
 * @param undo gives back what `calls` made, where the device refuses it afterwards.
 * @throws OutOfMemoryError or GpuError as the device reports; what `calls` throws itself comes through as it is.
 */
export async function withErrorScopes<T>(
  device: GPUDevice,
  subject: string,
  neededBytes: number,
  calls: () => T,
  undo?: (value: T) => void,
): Promise<T> {
  device.pushErrorScope('internal');
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: calls() };
  } catch (error) {
    outcome = { error };
  }
  const verdict = await judge(device, subject, neededBytes);
  if ('error' in outcome) throw outcome.error;
  if (!verdict) return outcome.value;
  undo?.(outcome.value);
  throw verdict;
}

/** Closes the three scopes. */
async function judge(
  device: GPUDevice,
  subject: string,
  neededBytes: number,
): Promise<OutOfMemoryError | GpuError | undefined> {
  const scopes = [device.popErrorScope(), device.popErrorScope(), device.popErrorScope()] as const;
  try {
    const [validation, outOfMemory, internal] = await Promise.all(scopes);
    if (outOfMemory) return new OutOfMemoryError(subject, neededBytes);
    const refused = validation ?? internal;
    return refused ? new GpuError(`${subject}: ${refused.message}`) : undefined;
  } catch (error) {
    // A device that is being lost gives no verdict; whoever waits for it hears of the loss instead.
    return new GpuError(`${subject}: the device gave no answer`, { cause: error });
  }
}
