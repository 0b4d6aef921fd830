import type { StaticServer } from '@tromino/lab';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HeadlessMove } from '../src/headless.ts';
import { BuiltSite, modelsFolder, type OpenPage } from './built_site.ts';

let site: BuiltSite;
let opened: OpenPage;
let server: StaticServer;
let page: Page;

beforeAll(async () => {
  site = await BuiltSite.make();
});

afterAll(() => site.close());

afterEach(() => opened.close());

/** Opens the built page, with the shipped models beside it or without. */
async function open(query: string, { models = true, width = 1200 } = {}): Promise<void> {
  opened = await site.open(query, { mounts: models ? { '/models/': { folder: modelsFolder } } : {}, width });
  ({ page, server } = opened);
}

function text(selector: string): Promise<string> {
  return page.locator(selector).innerText();
}

async function waitForDecisions(count: number): Promise<void> {
  await page.waitForFunction(
    (least) => Number(document.querySelector('#time-count')?.textContent) >= least,
    count,
  );
}

/**
 * Ends the browser's GPU process until that hits the model at work and the page tells of it. A loss between two decisions is mended unseen by
 * the runtime: then the game just goes on, which is waited for.
 */
async function loseGpuDuringDecision(): Promise<void> {
  const card = page.getByText('DeviceLostError');
  for (let attempt = 0; attempt < 3; attempt++) {
    const decided = Number(await text('#time-count'));
    await site.crashGpu();
    await Promise.race([card.waitFor(), waitForDecisions(decided + 2)]);
    if (await card.isVisible()) return;
  }
  throw new Error('three losses of the GPU, and the page told of none');
}

async function expectScoresAndChoice(): Promise<void> {
  const scores = await page.locator('#scores .score').allInnerTexts();
  expect(scores).toHaveLength(8);
  for (const score of scores) expect(score).toMatch(/^[+−]\d+\.\d\d$/);
  expect(await page.locator('#scores tr.chosen').count()).toBe(1);
  const chosen = await page.locator('#scores tr.chosen th').innerText();
  expect(await text('#choice')).toContain(`Chose ${chosen.replace('▸', '').trim()}:`);
}

async function expectTimes(): Promise<void> {
  for (const figure of ['first', 'median', 'last'])
    expect(await text(`#time-${figure}`)).toMatch(/^[\d\u2009.]+ ms$/);
  expect(await page.locator('#time-chart rect').count()).toBeGreaterThanOrEqual(5);
}

async function expectPlannedBytesMeasured(): Promise<void> {
  const rows = await page
    .locator('#memory-rows tr')
    .evaluateAll((found) => found.map((row) => Array.from(row.children, (cell) => cell.textContent)));
  const names = ['weights', 'workspace', 'uniforms', 'constants', 'inputs', 'readback', 'together'];
  expect(rows.map(([name]) => name)).toEqual(names);
  for (const [name, planned, measured, mark] of rows) {
    expect([name, measured, mark]).toEqual([name, planned, '=']);
    expect(Number(planned?.replaceAll('\u2009', ''))).toBeGreaterThan(0);
  }
  expect(await text('#memory-state')).toContain('planned = measured');
}

async function expectPromptOf346Tokens(): Promise<void> {
  expect(await text('#prompt-count')).toBe('346 tokens');
  const shown = await page.locator('#prompt').evaluate((element) => element.textContent);
  const prompt = shown.replaceAll('↵', '');
  expect(prompt).toMatch(/^<s>.{11}\n([.#@:]{10}\n){20}/);
  expect(prompt.slice('<s>'.length)).toHaveLength(345);
}

describe('the page', () => {
  it('plays by itself with the shipped model and shows every decision', async () => {
    await open('seed=3');
    await page.locator('#prompt-details summary').click();
    await waitForDecisions(5);
    await page.locator('#run').click();
    expect(Number(await text('#steps'))).toBeGreaterThanOrEqual(5);
    expect(await text('#adapter-name')).toContain('WebGPU on');
    await expectScoresAndChoice();
    await expectTimes();
    await expectPlannedBytesMeasured();
    await expectPromptOf346Tokens();
    expect(opened.errors).toEqual([]);
  });

  it('says that the first decision is under way, on the board and beside it, until it is there', async () => {
    await open('headless&seed=3');
    await page.evaluate(() => window.strata?.ready);
    expect(await page.locator('#thinking').isVisible()).toBe(false);
    await page.locator('#step').click();
    expect(await text('#thinking')).toBe('compiling and deciding…');
    expect(await text('#scores-state')).toBe('compiling and deciding…');
    await waitForDecisions(1);
    expect(await page.locator('#thinking').isVisible()).toBe(false);
    expect(await text('#scores-state')).toMatch(/^decided in /);
  });

  it('lets a program play move by move, from equal seeds to equal scores', async () => {
    await open('headless&seed=11');
    const play = (count: number): Promise<Pick<HeadlessMove, 'boardText' | 'scores' | 'choice'>[]> =>
      page.evaluate(async (numMoves) => {
        const { strata } = window;
        if (strata === undefined) throw new Error('the page offers no window.strata');
        await strata.ready;
        const moves = [];
        for (let i = 0; i < numMoves; i++) {
          const { boardText, scores, choice } = await strata.playMove();
          moves.push({ boardText, scores, choice });
        }
        if (strata.adapter.vendor === '' || strata.memory().currentBytes === 0)
          throw new Error('it says nothing');
        return moves;
      }, count);
    const [first, second] = await play(2);
    expect(second?.boardText).not.toBe(first?.boardText);
    await page.reload();
    expect(await play(1)).toEqual([first]);
  });

  it('says that the model is missing, lets a person play, and finds the model when it comes', async () => {
    await open('seed=2', { models: false });
    await page.locator('#overlay').getByText('SourceError').waitFor();
    expect(await text('#overlay .card-title')).toBe('The player is not here');
    expect(await text('#overlay .card-detail')).toContain('config.json');
    await page.locator('#overlay .card-buttons').getByText('Play it yourself').click();
    await page.keyboard.press('Space');
    expect(await text('#pieces')).toBe('1');

    server.mount('/models/', { folder: modelsFolder });
    await page.locator('#driver').click();
    await page.getByText('Look again').click();
    await waitForDecisions(1);
    expect(Number(await text('#pieces'))).toBeGreaterThanOrEqual(1);
    expect(opened.errors).toEqual([]);
  });

  it('tells of a lost GPU, keeps the game, and plays on after loading the model again', async () => {
    await open('seed=6');
    await waitForDecisions(1);
    await loseGpuDuringDecision();
    expect(await text('#overlay .card-title')).toBe('The GPU went away');
    const steps = Number(await text('#steps'));
    expect(steps).toBeGreaterThanOrEqual(1);
    await page.getByText('Load the model again').click();
    await waitForDecisions(1);
    expect(Number(await text('#steps'))).toBeGreaterThan(steps);
  });

  it('changes the format of the weights while the game goes on, and holds each against the dense player', async () => {
    await open('seed=4');
    await waitForDecisions(2);
    const steps = Number(await text('#steps'));
    const row = (format: string): ReturnType<Page['locator']> =>
      page.locator(`#format-rows tr:has([value=${format}])`);
    for (const format of ['nf4', 'ternary']) {
      await row(format).locator('input').click();
      await page.waitForFunction(
        (id) =>
          /^[1-9]\d* of/.test(
            document.querySelector(`#format-rows tr:has([value=${id}]) td:last-child`)?.textContent ?? '',
          ),
        format,
      );
      expect(await row(format).locator('input').isChecked()).toBe(true);
      expect(await text('#memory-state')).toContain('planned = measured');
    }
    const cells = await Promise.all(
      ['dense', 'nf4', 'ternary'].map((format) => row(format).locator('td').allInnerTexts()),
    );
    expect(cells.map(([inFiles]) => inFiles)).toEqual(['4.77 MB', '718 kB', '347 kB']);
    expect(Number(await text('#steps'))).toBeGreaterThan(steps);
    await row('dense').locator('input').click();
    await waitForDecisions(2);
    expect(opened.errors).toEqual([]);
  });

  it('plays on the CPU where that is asked for, and warns about its times', async () => {
    await open('seed=2&backend=cpu');
    await page.getByText('CPU, portable backend').waitFor();
    expect(await text('#adapter-note')).toContain('say nothing about WebGPU');
    await waitForDecisions(1);
    expect(await text('#memory-state')).toContain('planned = measured');
  });

  it('fits a phone without scrolling sideways', async () => {
    await open('seed=2', { models: false, width: 360 });
    await page.locator('#overlay').getByText('SourceError').waitFor();
    await page.locator('#driver').click();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.locator('#pad').getByRole('button', { name: 'Hard drop' }).click();
    expect(await text('#pieces')).toBe('1');
  });

  it('keeps its panels in the page at every width', async () => {
    await open('seed=2', { models: false });
    await page.locator('#overlay').getByText('SourceError').waitFor();
    for (const width of [360, 700, 1000, 1125, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      const beyond = await page.evaluate(() => {
        const right = (element: Element | null): number => element?.getBoundingClientRect().right ?? NaN;
        const panels = [...document.querySelectorAll('.panel')];
        return Math.max(...panels.map(right)) - right(document.querySelector('main'));
      });
      expect(beyond).toBeLessThan(0.5);
    }
  });
});
