/** `npm run bench -w bench`: builds the page, runs it in a headless Chromium of this machine and prints its tables. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { ensureChromium, launchChromium, startServer, watchForFailure } from '@tromino/lab';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Page } from 'playwright';
import { build } from 'vite';
import { formatResults, parseResults } from '../report.ts';
import type { BenchModel, BenchPage } from '../suite.ts';
import { expectedOfGolden, exportedModels } from './models.ts';

const benchFolder = join(import.meta.dirname, '../..');
const shippedFolder = join(benchFolder, '../models/polyomino-dense');
/** What the page is given beyond its sections' time, so that it can say which of them did not end. */
const reportingMs = 2000;
const suiteNames = readdirSync(join(benchFolder, 'suites')).map((file) => file.replace(/\.json$/, ''));

interface Flags {
  readonly suite: string;
  readonly models?: string;
  readonly ort?: string;
  readonly out?: string;
  readonly minutes: number;
}

function parseFlags(): Flags {
  return new Command('npm run bench -w bench --')
    .description('Times models in a headless Chromium of this machine.')
    .addOption(
      new Option('--suite <name>', 'which sections to run').choices(suiteNames).default('tromino-first'),
    )
    .option('--models <folder>', 'models as the export scripts write them, instead of the shipped one')
    .option('--ort <folder>', "ONNX Runtime Web's files, for models that have an .onnx")
    .option('--out <file>', 'where to write the rows, a line of JSON each')
    .option('--minutes <number>', 'how long the page may take', minutes, 15)
    .parse()
    .opts<Flags>();
}

function minutes(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number of minutes.');
  return value;
}

async function main(): Promise<void> {
  const flags = parseFlags();
  const executablePath = ensureChromium(console.error);
  await build({ root: benchFolder, logLevel: 'warn' });
  await using server = await startServer();
  const models = flags.models === undefined ? [] : exportedModels(flags.models, 'models/');
  server.mount('/', { files: pageFiles(flags, models) });
  server.mount('/shipped/', { folder: shippedFolder });
  if (flags.models !== undefined) server.mount('/models/', { folder: flags.models });
  if (flags.ort !== undefined) server.mount('/ort/', { folder: flags.ort });
  const browser = await launchChromium(executablePath, { endOnSignals: true });
  try {
    const page = await browser.newPage();
    const lines = collectLines(page, flags.suite);
    const finished = openAndWait(page, `${server.origin}/`, flags.minutes * 60_000);
    await Promise.race([finished, watchForFailure(browser, page)]);
    if (flags.out !== undefined) writeResults(flags.out, lines);
    console.log(formatResults(parseResults(lines.join('\n'))));
  } finally {
    await browser.close();
  }
}

/** The built pages with the two files that say what to run. */
function pageFiles(flags: Flags, models: readonly BenchModel[]): ReadonlyMap<string, string | Uint8Array> {
  const dist = join(benchFolder, 'dist');
  const names = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = new Map<string, string | Uint8Array>();
  for (const { parentPath, name } of names) {
    const path = join(parentPath, name);
    files.set(path.slice(dist.length + 1).replaceAll('\\', '/'), readFileSync(path));
  }
  const shipped = { name: 'polyomino-dense', folder: 'shipped/', expected: 'expected.json' };
  const withoutOrt = ({ name, folder, expected }: BenchModel): BenchModel => ({ name, folder, expected });
  const chosen = models.length > 0 ? models : [shipped];
  files.set(
    'bench.json',
    JSON.stringify({
      models: flags.ort === undefined ? chosen.map(withoutOrt) : chosen,
      limitMs: flags.minutes * 60_000 - reportingMs,
    } satisfies BenchPage),
  );
  files.set('suite.json', readFileSync(join(benchFolder, 'suites', `${flags.suite}.json`)));
  files.set('expected.json', JSON.stringify(expectedOfGolden(shippedFolder)));
  return files;
}

/** Gathers the page's rows as result lines and shows everything it prints. */
function collectLines(page: Page, name: string): readonly string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    console.error(text.length > 200 ? `${text.slice(0, 200)}…` : text);
    const [, kind, json] = /^(environment|row) (\{.*\})$/.exec(text) ?? [];
    if (kind !== undefined && json !== undefined) lines.push(`{"page":"${name}","${kind}":${json}}`);
  });
  return lines;
}

async function openAndWait(page: Page, url: string, limitMs: number): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => window.done === true, undefined, { timeout: limitMs });
}

function writeResults(file: string, lines: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
}

main().catch((error: unknown) => {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
