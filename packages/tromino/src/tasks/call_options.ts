import { requireSignal } from '../util/abort.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { optionNames, requireKnownOptions } from '../util/option_names.ts';

/** What a call may be given. */
export interface CallOptions {
  /** Stops the call: at once for the caller; the device finishes what it was already given. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of every call. */
export const callOptionNames = optionNames<CallOptions>({ signal: true });

/**
 * Callers without types may pass anything.
 * @param known names of all options that the call has.
 * @throws OptionError for options that are none, and for one that the call does not know.
 */
export function checkCallOptions(options: CallOptions, known = callOptionNames): void {
  requireKnownOptions(options, known);
  requireSignal(options.signal);
}

/** @throws OptionError for a callback that is neither a function nor left out. */
export function checkCallback(name: string, callback: unknown): void {
  if (callback !== undefined && typeof callback !== 'function')
    throw new OptionError(name, 'a function', describe(callback));
}
