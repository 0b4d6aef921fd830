import { requireSignal } from '../util/abort.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';

/** What a call may be given. */
export interface CallOptions {
  /** Stops the call: at once for the caller; the device finishes what it was already given. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws OptionError for options that are none: callers without types may pass anything. */
export function checkCallOptions(options: CallOptions): void {
  if (typeof options !== 'object' || (options as unknown) === null) {
    throw new OptionError('options', 'an object', describe(options));
  }
  requireSignal(options.signal);
}

/** @throws OptionError for a callback that is neither a function nor left out. */
export function checkCallback(name: string, callback: unknown): void {
  if (callback !== undefined && typeof callback !== 'function')
    throw new OptionError(name, 'a function', describe(callback));
}
