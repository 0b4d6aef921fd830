import { TrominoError } from 'tromino';
import type { CheckpointLocation } from '../checkpoint_location.ts';
import type { Answer, ErrorData, RequestKind, Requests } from './protocol.ts';

/** Where the runtime runs: WebGPU in a headless Chromium, WebGPU in a Node process through Dawn, or the portable backend. */
export const backendNames = ['webgpu', 'dawn', 'cpu'] as const;

/** Name of a place where the runtime runs. */
export type BackendName = (typeof backendNames)[number];

/** A running runtime that answers requests. Dispose it to end its browser or process. */
export interface Session extends AsyncDisposable {
  /**
   * Has a request carried out.
   *
   * @throws RemoteError with what the runtime threw
   * @throws SessionError if the browser or process behind the session is gone
   */
  request<K extends RequestKind>(kind: K, params: Requests[K]['params']): Promise<Requests[K]['result']>;
  /** The name under which the session's runtime finds a checkpoint. */
  sourceOf(location: CheckpointLocation): string;
}

/** The browser or process behind a session did not start, or went away. */
export class SessionError extends TrominoError {
  override name = 'SessionError';
}

/** An error that was thrown on the other side of a session; `name` is what it was there. */
export class RemoteError extends Error {
  readonly isTyped: boolean;

  constructor(error: ErrorData) {
    super(error.message);
    this.name = error.name;
    this.isTyped = error.isTyped;
    if (error.stack !== undefined) this.stack = error.stack;
  }
}

/** The result in an answer, or its error thrown. */
export function resultOf<K extends RequestKind>(answer: Answer<K>): Requests[K]['result'] {
  if (!answer.ok) throw new RemoteError(answer.error);
  return answer.result;
}
