import type { Browser, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium, watchForFailure } from '../src/chromium/browser.ts';
import { BrowserError } from '../src/chromium/browser_error.ts';
import { ensureChromium } from '../src/chromium/install.ts';

let browser: Browser;
let page: Page;
let failure: Promise<never>;

beforeEach(async () => {
  browser = await launchChromium(ensureChromium(console.log), { endOnSignals: false });
  page = await browser.newPage();
  failure = watchForFailure(browser, page);
});

afterEach(() => browser.close());

describe('a browser that is watched', () => {
  it('tells of a page that crashed, while a call waits for it', async () => {
    const call = page.evaluate(() => new Promise(() => undefined));
    call.catch(() => undefined);
    page.goto('chrome://crash').catch(() => undefined); // It never arrives.
    await expect(Promise.race([call, failure])).rejects.toThrow('the page crashed');
  });

  it('tells of a browser that ended', async () => {
    await browser.close();
    await expect(failure).rejects.toThrow(BrowserError);
    await expect(failure).rejects.toThrow('the browser ended before its answer');
  });

  it('tells of code that threw where nobody caught it', async () => {
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('lost in the page');
      });
    });
    await expect(failure).rejects.toThrow('uncaught in the page: lost in the page');
  });
});
