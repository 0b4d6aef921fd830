import { chromium, type Browser, type Page } from 'playwright';
import { BrowserError } from './browser_error.ts';
import { chromiumLaunchOptions } from './launch.ts';

/**
 * Starts a headless Chromium. Playwright gives it a profile of its own and removes that at the end; signals are the caller's to handle.
 *
 * @throws BrowserError if it is not up within `timeoutMs`
 */
export async function launchChromium(executablePath: string, timeoutMs: number): Promise<Browser> {
  const options = { ...chromiumLaunchOptions(executablePath), timeout: timeoutMs };
  try {
    return await chromium.launch({
      ...options,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
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
