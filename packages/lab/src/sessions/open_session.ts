import type { BackendName, Session } from './session.ts';

/**
 * Starts the session for a backend. When `signal` aborts, the start of a browser and the session's requests reject with the signal's
 * reason, so that the command unwinds and disposes of what it has as it always does.
 */
export async function openSession(backend: BackendName, signal: AbortSignal): Promise<Session> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  aborted.catch(() => undefined); // Heard by whichever request is waiting, if one is.
  const session = await start(backend, aborted);
  return { ...session, request: (kind, params) => Promise.race([aborted, session.request(kind, params)]) };
}

/** Only what a backend needs is imported, so that the others cost no start-up time. */
async function start(backend: BackendName, aborted: Promise<never>): Promise<Session> {
  switch (backend) {
    case 'webgpu':
      return (await import('./browser.ts')).openBrowserSession(aborted);
    case 'dawn':
      return (await import('./dawn.ts')).openDawnSession();
    case 'cpu':
      return (await import('./cpu.ts')).openCpuSession();
  }
}
