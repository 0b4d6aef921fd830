import { chromium, type Browser, type Page } from 'playwright';
import { BrowserError } from './browser_error.ts';
import { chromiumLaunchOptions } from './launch.ts';

/** How to start a browser. */
export interface LaunchOptions {
  /** How long it may take to come up; a minute by default. */
  readonly timeoutMs?: number;
  /** On SIGINT, SIGTERM or SIGHUP close the browser and end the process. Off for callers that handle signals themselves. */
  readonly endOnSignals: boolean;
}

/**
 * Starts a headless Chromium. Playwright gives it a profile of its own and removes that when the browser is closed.
 *
 * @throws BrowserError if it does not come up
 */
export async function launchChromium(
  executablePath: string,
  { timeoutMs = 60_000, endOnSignals }: LaunchOptions,
): Promise<Browser> {
  const signals = { handleSIGINT: endOnSignals, handleSIGTERM: endOnSignals, handleSIGHUP: endOnSignals };
  try {
    return await chromium.launch({
      ...chromiumLaunchOptions(executablePath),
      ...signals,
      timeout: timeoutMs,
    });
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0] ?? 'no reason given';
    throw new BrowserError(`${executablePath} did not start: ${reason}`, { cause: error });
  }
}

/**
 * A promise that only ever rejects: when the browser ends, the page crashes, or code in it throws where nobody catches. Race it with
 * whatever waits for the page, which would wait for ever. Nobody need listen to it, since a browser's end is no failure after the work.
 */
export function watchForFailure(browser: Browser, page: Page): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    const fail = (reason: string): void => {
      reject(new BrowserError(reason));
    };
    browser.on('disconnected', () => {
      fail('the browser ended before its answer');
    });
    page.on('crash', () => {
      fail('the page crashed');
    });
    page.on('pageerror', (error) => {
      fail(`uncaught in the page: ${error.message}`);
    });
  });
  failure.catch(() => undefined);
  return failure;
}
