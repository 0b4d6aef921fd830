/** The page behind a browser session: it only makes an executor reachable for the command that opened it. */
import { createExecutor } from '../sessions/executor.ts';
import type { Execute } from '../sessions/protocol.ts';

declare global {
  /** Set when the page is ready for requests. */
  var trominoExecute: Execute | undefined;
}

globalThis.trominoExecute = createExecutor('webgpu');
