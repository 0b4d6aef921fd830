import type { Page } from 'playwright';
import type { CheckpointLocation } from '../checkpoint_location.ts';
import { ensureChromium } from '../chromium/install.ts';
import { launchChromium, watchForFailure } from '../chromium/browser.ts';
import { bundlePage } from '../page/bundle.ts';
import { startServer, type StaticServer } from '../server.ts';
import type { Answer, RequestKind, Requests } from './protocol.ts';
import { RemoteError, resultOf, SessionError, type Session } from './session.ts';

const startTimeoutMs = 60_000;

/**
 * Opens a session in a page of a headless Chromium, which reads the page and its checkpoints from a server of ours.
 *
 * @param aborted rejects when the session is no longer wanted: coming up takes seconds, and an interrupt should not wait for that
 */
export async function openBrowserSession(aborted: Promise<never>): Promise<Session> {
  const executablePath = ensureChromium((line) => {
    console.error(`tromino: ${line}`);
  });
  const server = await startServer();
  const launched = launchChromium(executablePath, { endOnSignals: false });
  const close = async (): Promise<void> => {
    const browser = await launched.catch(() => undefined);
    await browser?.close();
    await server.close();
  };
  try {
    const [browser, files] = await Promise.race([Promise.all([launched, bundlePage()]), aborted]);
    server.mount('/', { files });
    const page = await Promise.race([browser.newPage(), aborted]);
    const failure = watchForFailure(browser, page);
    await Promise.race([openPage(page, server.origin), failure, aborted]);
    return { ...pageSession(page, server, failure), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPage(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/`, { timeout: startTimeoutMs });
  await page.waitForFunction(() => globalThis.trominoExecute !== undefined, undefined, {
    timeout: startTimeoutMs,
  });
}

function pageSession(
  page: Page,
  server: StaticServer,
  failure: Promise<never>,
): Pick<Session, 'request' | 'sourceOf'> {
  const namesBySource = new Map<string, string>();
  return {
    async request<K extends RequestKind>(
      kind: K,
      params: Requests[K]['params'],
    ): Promise<Requests[K]['result']> {
      const answer = await Promise.race([evaluateRequest(page, kind, params), failure]);
      if (!answer.ok)
        throw new RemoteError({
          ...answer.error,
          message: withUserNames(answer.error.message, namesBySource),
        });
      return resultOf(answer);
    },
    sourceOf(location) {
      const prefix = `/checkpoint/${namesBySource.size}/`;
      server.mount(prefix, mountTarget(location));
      namesBySource.set(server.origin + prefix, `${location.name.replace(/\/$/, '')}/`);
      return server.origin + prefix;
    },
  };
}

async function evaluateRequest<K extends RequestKind>(
  page: Page,
  kind: K,
  params: Requests[K]['params'],
): Promise<Answer<K>> {
  const answer = await page.evaluate(({ kind, params }) => globalThis.trominoExecute?.(kind, params), {
    kind: kind,
    params: params,
  });
  if (answer === undefined) throw new SessionError('the page went away');
  return answer;
}

function mountTarget({ folder, url, name }: CheckpointLocation): { folder: string } | { url: URL } {
  return url === undefined ? { folder: folder ?? name } : { url };
}

/** The page knows a checkpoint by the URL it was mounted at; the user knows it by the name that was typed. */
function withUserNames(message: string, namesBySource: ReadonlyMap<string, string>): string {
  let text = message;
  for (const [source, name] of namesBySource) text = text.replaceAll(source, name);
  return text;
}
