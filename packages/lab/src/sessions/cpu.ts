import type { CheckpointLocation } from '../checkpoint_location.ts';
import { createExecutor } from './executor.ts';
import { resultOf, type Session } from './session.ts';

/** Opens a session on the portable backend, in this very process. */
export function openCpuSession(): Session {
  const execute = createExecutor('cpu');
  return {
    request: async (kind, params) => resultOf(await execute(kind, params)),
    sourceOf: nodeSourceOf,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** How the runtime in Node names a checkpoint: by its path or its URL. */
export function nodeSourceOf({ folder, url, name }: CheckpointLocation): string {
  return folder ?? url?.href ?? name;
}
