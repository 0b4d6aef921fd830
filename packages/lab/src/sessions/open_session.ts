import type { BackendName, Session } from './session.ts';

/**
 * Starts the session for a backend. When `signal` aborts, its requests reject with the signal's reason, so that the command unwinds
 * and disposes of the session as it always does.
 */
export async function openSession(backend: BackendName, signal: AbortSignal): Promise<Session> {
  const session = await start(backend);
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  aborted.catch(() => undefined); // Heard by whichever request is waiting, if one is.
  return { ...session, request: (kind, params) => Promise.race([aborted, session.request(kind, params)]) };
}

/** Only what a backend needs is imported, so that the others cost no start-up time. */
async function start(backend: BackendName): Promise<Session> {
  switch (backend) {
    case 'webgpu':
      return (await import('./browser.ts')).openBrowserSession();
    case 'dawn':
      return (await import('./dawn.ts')).openDawnSession();
    case 'cpu':
      return (await import('./cpu.ts')).openCpuSession();
  }
}
