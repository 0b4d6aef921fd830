/** The Node process behind a Dawn session: answers its parent's requests until the channel closes. */
import process from 'node:process';
import { createExecutor } from './executor.ts';
import type { Answer, RequestKind, Requests } from './protocol.ts';

/** A request with the number that its reply carries. */
export interface DawnRequest<K extends RequestKind = RequestKind> {
  readonly id: number;
  readonly kind: K;
  readonly params: Requests[K]['params'];
}

/** The reply to the request with the same number. */
export interface DawnReply {
  readonly id: number;
  readonly answer: Answer<RequestKind>;
}

const execute = createExecutor('webgpu');

process.on('message', ({ id, kind, params }: DawnRequest) => {
  execute(kind, params)
    .then((answer) => process.send?.({ id, answer } satisfies DawnReply))
    .catch((error: unknown) => {
      console.error(error); // An answer that cannot be sent leaves the parent waiting, so end where it will see it.
      process.exit(1);
    });
});

// Dawn's binding can keep a process alive or crash it at a natural end, so this one ends itself.
process.on('disconnect', () => process.exit(0));
