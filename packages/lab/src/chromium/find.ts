import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { BrowserError } from './browser_error.ts';

/** Where Chrome, Chromium and Edge install themselves, in the order we prefer them. */
const systemBrowsers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/opt/google/chrome/chrome',
    '/usr/bin/microsoft-edge',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/**
 * Finds a Chromium: the one that `CHROMIUM_PATH` names, else the system's Chromium, Chrome or Edge, else Playwright's
 * download. Undefined where there is none.
 *
 * @throws BrowserError if `CHROMIUM_PATH` names a file that is not there: a wrong path must not quietly mean another browser.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (!existsSync(named))
      throw new BrowserError(`CHROMIUM_PATH: expected a browser's executable, found no file at ${named}`);
    return named;
  }
  return systemBrowsers[process.platform]?.find((path) => existsSync(path)) ?? downloadedChromium();
}

/** Playwright's own Chromium, if it was downloaded. Playwright is slow to import, so only a machine without a browser pays for it. */
function downloadedChromium(): string | undefined {
  const playwright = createRequire(import.meta.url)('playwright') as typeof import('playwright');
  const path = playwright.chromium.executablePath();
  return existsSync(path) ? path : undefined;
}
