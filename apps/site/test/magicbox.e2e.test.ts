import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BuiltSite, modelsFolder, type OpenPage } from './built_site.ts';

/** A small checkpoint of the same family with random weights: its answers are nonsense, and always the same. */
const tinyFolder = join(
  import.meta.dirname,
  '../../../packages/tromino/test/fixtures/checkpoints/magicbox-tiny',
);
const tiny = { '/models/magicbox/': { folder: tinyFolder } };

let site: BuiltSite;
let opened: OpenPage;
let page: Page;

beforeAll(async () => {
  site = await BuiltSite.make();
});

afterAll(() => site.close());

afterEach(() => opened.close());

async function open(options: Parameters<BuiltSite['open']>[1] = { mounts: tiny }): Promise<void> {
  opened = await site.open('', options);
  page = opened.page;
}

const text = (selector: string): Promise<string> => page.locator(selector).innerText();
const card = '#magicbox-card';
const results = '#magicbox-questions .result';

async function load(): Promise<void> {
  await page.getByRole('button', { name: 'Load MagicBox' }).click();
  await waitForCalls(1);
}

/** Waits until at least so many calls are done and the last answers are there. */
async function waitForCalls(least: number): Promise<void> {
  await page.waitForFunction(
    (count) =>
      Number(document.querySelector('#magicbox-count')?.textContent) >= count &&
      document.querySelector('#magicbox-questions')?.ariaBusy === 'false',
    least,
  );
}

/** Every change asks once more; what was asked before it is not waited for. */
async function change(make: () => Promise<void>): Promise<void> {
  const calls = Number(await text('#magicbox-count'));
  await make();
  await waitForCalls(calls + 1);
}

const write = (words: string): Promise<void> => change(() => page.getByLabel('Your text').fill(words));

/** The answers that are stated, and the parts of the text that are lit. */
async function litAndStated(): Promise<{ lit: string[]; stated: string[]; whole: string }> {
  return {
    lit: await page.locator('#magicbox-marks mark').allTextContents(),
    stated: await page.locator('.question[data-finding=stated] .answer').allTextContents(),
    whole: await page.getByLabel('Your text').inputValue(),
  };
}

/** Ends the browser's GPU process until that hits a call: a loss between two calls is mended unseen by the runtime. */
async function loseGpuDuringCall(): Promise<void> {
  const failure = page.locator(card).getByText('DeviceLostError');
  for (let attempt = 0; attempt < 5; attempt++) {
    const calls = Number(await text('#magicbox-count'));
    await page.getByLabel('Your text').fill(`${attempt} `.repeat(40));
    await page.waitForTimeout(150); // The text must rest before it is read.
    await site.crashGpu();
    await Promise.race([failure.waitFor(), waitForCalls(calls + 1)]);
    if (await failure.isVisible()) return;
  }
  throw new Error('five losses of the GPU, and the page told of none');
}

describe('MagicBox on the page', () => {
  it('is loaded when asked for, answers what is typed, and lights the words of the answers', async () => {
    await open();
    expect(await page.locator('#magicbox-cost').isVisible()).toBe(false);
    await load();
    expect(await page.locator(card).isVisible()).toBe(false);
    await write('a b c d e f g');
    expect(await litAndStated()).toEqual({
      lit: ['e f'],
      stated: Array.from({ length: 6 }, () => 'e f'),
      whole: 'a b c d e f g',
    });
    expect(await page.locator('#magicbox-marks').textContent()).toBe('a b c d e f g\u200b');
    expect(await page.locator(results).first().innerText()).toMatch(/narrow: 0\.\d above “not stated”/);
    expect(await text('#magicbox-state')).toBe('6 of 6 stated in the text');
    expect(opened.errors).toEqual([]);
  });

  it('says what is not stated, and lights nothing for it', async () => {
    await open();
    await load();
    await write('Call Ana at noon');
    expect(await litAndStated()).toMatchObject({ lit: [], stated: [] });
    expect(await page.locator(results).first().innerText()).toMatch(
      /^not stated\s*narrow: “noon” is 1\.\d below$/,
    );
    expect(await text('#magicbox-state')).toBe('0 of 6 stated in the text');
  });

  it('tells time and bytes, the first call apart', async () => {
    await open();
    await load();
    await write('one two');
    for (const name of ['first', 'median', 'last'])
      expect(await text(`#magicbox-${name}`)).toMatch(/^[\d\u2009.]+ ms$/);
    expect(await text('#magicbox-files')).toBe('69.0 kB');
    for (const name of ['weights', 'workspace', 'peak'])
      expect(await text(`#magicbox-${name}`)).toMatch(/^[\d.]+ kB$/);
    expect(await text('#magicbox-backend')).toContain('WebGPU on');
  });

  it('asks again when a question is edited, added or removed', async () => {
    await open();
    await load();
    await write('a b c d e f g');
    const first = page.getByLabel('Question 1', { exact: true });
    await change(() => first.fill('zebra crossing, 40 of them, far away'));
    expect(await text(`${results} >> nth=0`)).toMatch(/^not stated/);
    await change(() => first.fill('who?'));
    expect(await text(`${results} >> nth=0`)).toMatch(/^e f/);
    await change(async () => {
      await page.getByLabel('Another question').fill('who?');
      await page.keyboard.press('Enter');
    });
    expect(await page.locator('.question').count()).toBe(7);
    expect(await page.getByLabel('Question 7', { exact: true }).inputValue()).toBe('who?');
    await change(() => page.getByRole('button', { name: 'Remove question 1:' }).click());
    expect(await page.locator('.question').count()).toBe(6);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Question 1');
    expect(await litAndStated()).toMatchObject({
      lit: ['e f'],
      stated: Array.from({ length: 6 }, () => 'e f'),
    });
  });

  it('takes no question away when Add is clicked twice, and numbers the answers, since colours repeat', async () => {
    await open();
    await load();
    await write('a b c d e f g');
    for (const count of [7, 8, 9]) {
      await page.getByLabel('Another question').fill('who?');
      await page.getByRole('button', { name: 'Add', exact: true }).dblclick();
      expect(await page.locator('.question').count()).toBe(count);
    }
    await page.waitForFunction(
      () =>
        document.querySelector('#magicbox-marks mark')?.getAttribute('data-numbers') === '1 2 3 4 5 6 7 8 9',
    );
    const colorOf = (i: number): Promise<string> =>
      page
        .locator('.question')
        .nth(i)
        .evaluate((item) => getComputedStyle(item).getPropertyValue('--question'));
    expect(await colorOf(8)).toBe(await colorOf(0));
  });

  it('says how much there is to read of a long text, whose box scrolls to the answer that is looked for', async () => {
    await open();
    await load();
    // States pass quickly, so the page writes them down.
    await page.evaluate(() => {
      const state = document.querySelector('#magicbox-state');
      const said: string[] = [];
      Object.assign(window, { said });
      if (state !== null)
        new MutationObserver(() => said.push(state.textContent)).observe(state, { childList: true });
    });
    await write('a b c d e f g '.repeat(60));
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said);
    expect(
      said.find((state) => /^reading a long text in \d+ windows: \d+ rows with the questions$/.test(state)),
    ).toBeDefined();
    const box = page.locator('.lit');
    await write(`${'\n'.repeat(40)}a b c d e f g${'\n'.repeat(40)}`);
    const { height, inner } = await box.evaluate((lit) => ({
      height: lit.clientHeight,
      inner: lit.scrollHeight,
    }));
    expect(height).toBeLessThanOrEqual(0.6 * 900);
    expect(inner).toBeGreaterThan(2 * height);
    const markBelowTop = (): Promise<number> =>
      box.evaluate((lit) => {
        const top = (element: Element | null): number => element?.getBoundingClientRect().top ?? NaN;
        return top(lit.querySelector('mark')) - top(lit);
      });
    expect(await markBelowTop()).toBeGreaterThan(height);
    await page.getByRole('button', { name: 'e f' }).first().click();
    expect(await markBelowTop()).toBeGreaterThan(0);
    expect(await markBelowTop()).toBeLessThan(height - 30);
    const sizes = await page.evaluate(() =>
      ['#magicbox-text', '#magicbox-marks'].map((selector) => document.querySelector(selector)?.scrollHeight),
    );
    expect(sizes[0]).toBe(sizes[1]);
  });

  it('stops what it is asked while a person types on, and shows the answers to the last text only', async () => {
    await open();
    await load();
    await page.getByLabel('Your text').fill('');
    await page.getByLabel('Your text').pressSequentially('a b c d e f g', { delay: 60 });
    await page.waitForFunction(() => document.querySelector('#magicbox-marks mark')?.textContent === 'e f');
    expect(Number(await text('#magicbox-count'))).toBeLessThan(13);
    expect(await litAndStated()).toMatchObject({ lit: ['e f'], whole: 'a b c d e f g' });
    await page.getByRole('button', { name: 'e f' }).first().click();
    const selected = await page.getByLabel('Your text').evaluate((box) => {
      const { value, selectionStart, selectionEnd } = box as HTMLTextAreaElement;
      return value.slice(selectionStart, selectionEnd);
    });
    expect(selected).toBe('e f');
  });

  it('starts over from an example', async () => {
    await open();
    await load();
    await change(() => page.getByRole('button', { name: 'Reminder', exact: true }).click());
    const { whole, lit, stated } = await litAndStated();
    expect(whole).toContain('tomatoes');
    expect(await page.getByLabel('Question 1', { exact: true }).inputValue()).toBe('what should be done?');
    expect(await page.locator('.chip[aria-pressed=true]').allTextContents()).toEqual(['Reminder']);
    for (const part of [...lit, ...stated]) expect(whole).toContain(part);
  });

  it('says that the model is missing, keeps what was typed, and finds the model when it comes', async () => {
    await open({});
    await page.getByLabel('Your text').fill('a b c d e f g');
    await page.getByRole('button', { name: 'Load MagicBox' }).click();
    await page.locator(card).getByText('SourceError').waitFor();
    expect(await text(`${card} .card-title`)).toBe('MagicBox is not here');
    opened.server.mount('/models/magicbox/', { folder: tinyFolder });
    await page.locator(card).getByRole('button', { name: 'Look again' }).click();
    await waitForCalls(1);
    expect((await litAndStated()).lit).toEqual(['e f']);
    expect(opened.errors).toEqual([]);
  });

  it('tells of a lost GPU, keeps what was typed, and reads on after loading the model again', async () => {
    await open();
    await load();
    await loseGpuDuringCall();
    expect(await text(`${card} .card-title`)).toBe('The GPU went away');
    expect(await page.locator('#magicbox-cost').isVisible()).toBe(false);
    await page.getByLabel('Your text').fill('a b c d e f g');
    await page.locator(card).getByRole('button', { name: 'Load the model again' }).click();
    await waitForCalls(1);
    expect((await litAndStated()).lit).toEqual(['e f']);
  });

  it('is stopped while it is being loaded, and put away when it is there', async () => {
    await open();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/model.safetensors', async (route) => {
      await held;
      await route.continue().catch(() => undefined); // The page has given it up.
    });
    await page.getByRole('button', { name: 'Load MagicBox' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await text(`${card} .card-title`)).toBe('Not loaded yet');
    release();
    await page.unroute('**/model.safetensors');
    await load();
    await page.getByRole('button', { name: 'Put it away' }).click();
    expect(await text(`${card} .card-title`)).toBe('Not loaded yet');
    expect(await litAndStated()).toMatchObject({ lit: [], stated: [] });
    const readers = (): number => page.workers().filter((worker) => worker.url().includes('reader')).length;
    await expect.poll(readers).toBe(0);
    expect(opened.errors).toEqual([]);
  });

  it('ships a model that fills in the form of its first example, beside the running game', async () => {
    await open({ mounts: { '/models/': { folder: modelsFolder } } });
    await load();
    const first = await litAndStated();
    expect(first.lit.toSorted()).toEqual(first.stated.toSorted());
    expect(first.stated).toEqual(['six', 'Friday', 'half past seven', 'Ilinca Moraru', 'father’s birthday']);
    expect(await page.locator('.question[data-finding=not-stated] input').inputValue()).toBe(
      'what is the phone number?',
    );
    expect(await text('#magicbox-files')).toMatch(/^[1-7]\.\d\d MB$/);
    await page.waitForFunction(() => Number(document.querySelector('#time-count')?.textContent) >= 1);
    expect(await page.locator('#overlay').isVisible()).toBe(false);
    expect(opened.errors).toEqual([]);
  });

  it('reads on the CPU where that is asked for', async () => {
    opened = await site.open('backend=cpu', { mounts: tiny });
    page = opened.page;
    await load();
    await write('a b c d e f g');
    expect((await litAndStated()).lit).toEqual(['e f']);
    expect(await text('#magicbox-backend')).toBe('CPU, portable backend');
  });

  it('fits a phone, and lights words where the text box has them', async () => {
    await open({ mounts: tiny, width: 360 });
    await load();
    await change(() => page.getByRole('button', { name: 'Delivery', exact: true }).click());
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    const sizes = await page.evaluate(() =>
      ['#magicbox-text', '#magicbox-marks'].map((selector) => {
        const element = document.querySelector(selector);
        return [element?.clientWidth, element?.scrollHeight];
      }),
    );
    expect(sizes[0]).toEqual(sizes[1]);
  });
});
