import { TrominoError } from 'tromino';
import { BrowserError } from './chromium/browser_error.ts';
import { RemoteError } from './sessions/session.ts';

/**
 * What a person reads when a command fails: one line. An error that nobody threw on purpose also gives its kind, and its stack
 * where `TROMINO_DEBUG` is set.
 */
export function failureLine(error: unknown): string {
  if (!(error instanceof Error)) return `tromino: ${String(error)}`;
  const message = error.message.replaceAll(/\s*\n\s*/g, ' ');
  if (isTyped(error)) return `tromino: ${error.name}: ${message}`;
  const stack = process.env['TROMINO_DEBUG'] === undefined ? '' : `\n${error.stack ?? ''}`;
  return `tromino: unexpected ${error.name}: ${message}${stack}`;
}

function isTyped(error: Error): boolean {
  if (error instanceof RemoteError) return error.isTyped;
  return error instanceof TrominoError || error instanceof BrowserError;
}
