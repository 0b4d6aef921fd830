import { GpuError, OutOfMemoryError } from '../util/errors.ts';

/**
 * Runs synchronous GPU calls and resolves when the device has judged them. The scopes are opened and closed around the synchronous part
 * alone: they are a stack that all users of a device share, and anything awaited in between would mix up whose errors are whose.
 * @throws OutOfMemoryError or GpuError as the device reports; what `calls` throws itself comes through as it is.
 */
export async function withErrorScopes<T>(
  device: GPUDevice,
  subject: string,
  neededBytes: number,
  calls: () => T,
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
  const scopes = [device.popErrorScope(), device.popErrorScope(), device.popErrorScope()] as const;
  const [validation, outOfMemory, internal] = await Promise.all(scopes);
  if ('error' in outcome) throw outcome.error;
  if (outOfMemory) throw new OutOfMemoryError(subject, neededBytes);
  const refused = validation ?? internal;
  if (refused) throw new GpuError(`${subject}: ${refused.message}`);
  return outcome.value;
}
