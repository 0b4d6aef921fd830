import { describe } from './describe.ts';
import { OptionError } from './errors.ts';

/** Throws the signal's reason (the platform's `AbortError` unless the caller gave another) if it is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it aborts. The work behind `promise` is not stopped. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** @throws OptionError for anything that is neither a signal nor left out: callers without types may pass anything. */
export function requireSignal(signal: AbortSignal | undefined): void {
  const { throwIfAborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (
    signal === undefined ||
    (typeof throwIfAborted === 'function' && typeof addEventListener === 'function')
  )
    return;
  throw new OptionError('signal', 'an AbortSignal', describe(signal));
}
