import type { BackendName, Session } from './session.ts';

/** Starts the session for a backend. Only what that backend needs is imported, so that the others cost no start-up time. */
export async function openSession(backend: BackendName): Promise<Session> {
  switch (backend) {
    case 'webgpu':
      return (await import('./browser.ts')).openBrowserSession();
    case 'dawn':
      return (await import('./dawn.ts')).openDawnSession();
    case 'cpu':
      return (await import('./cpu.ts')).openCpuSession();
  }
}
