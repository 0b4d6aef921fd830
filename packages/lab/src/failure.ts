import { TrominoError } from 'tromino';
import { BrowserError } from './chromium/browser_error.ts';
import { RemoteError } from './sessions/session.ts';

/**
 * What a person reads when a command fails: one line. For an error that nobody threw on purpose its stack follows where
 * `TROMINO_DEBUG` is set.
 *
 * @param subject what failed, where a command works on several things
 */
export function failureLine(error: unknown, subject?: string): string {
  const line = ['tromino', subject, describeError(error)].filter((part) => part !== undefined).join(': ');
  const wantsStack = process.env['TROMINO_DEBUG'] !== undefined && error instanceof Error && !isTyped(error);
  return wantsStack ? `${line}\n${error.stack ?? ''}` : line;
}

/** An error in one line: its kind and its message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replaceAll(/\s*\n\s*/g, ' ');
  return `${isTyped(error) ? '' : 'unexpected '}${error.name}: ${message}`;
}

function isTyped(error: Error): boolean {
  if (error instanceof RemoteError) return error.isTyped;
  return error instanceof TrominoError || error instanceof BrowserError;
}
