/** `npm start`: builds the page, serves it and opens it; with `--headless` lets the model play in a headless browser and prints each move. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import {
  describeAdapter,
  ensureChromium,
  launchChromium,
  startServer,
  watchForFailure,
  type StaticServer,
} from '@tromino/lab';
import { Command, InvalidArgumentError } from 'commander';
import type { Page } from 'playwright';
import { build } from 'vite';
import type { HeadlessMove } from '../apps/site/src/headless.ts';

interface Flags {
  readonly port: number;
  readonly headless?: true;
  readonly moves?: number;
  readonly seed?: number;
}

const siteFolder = join(import.meta.dirname, '../apps/site');
const modelsFolder = join(import.meta.dirname, '../models');
const pageTimeoutMs = 120_000;
/** For arguments that cannot be read, as the `tromino` command has it. */
const usageExitCode = 2;

async function main(): Promise<void> {
  const flags = parseFlags();
  const executablePath = ensureChromium(console.log);
  await build({ root: siteFolder, logLevel: 'warn' });
  const server = await serve(flags.headless === true ? 0 : flags.port);
  server.mount('/', { folder: join(siteFolder, 'dist') });
  server.mount('/models/', { folder: modelsFolder });
  if (flags.headless === true) {
    await playHeadless(executablePath, server, flags).finally(() => server.close());
    return;
  }
  console.log(`Strata is at ${server.origin}/ (Ctrl-C ends it)`);
  openInBrowser(`${server.origin}/`, executablePath);
}

/** Serves on the wanted port, or on a free one where that is taken: a second game, most likely. */
async function serve(port: number): Promise<StaticServer> {
  try {
    return await startServer({ port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    console.log(`port ${port} is taken, so another one it is`);
    return startServer();
  }
}

function parseFlags(): Flags {
  const command = new Command('npm start --')
    .description('Plays Strata in a page: a trained model moves the pieces.')
    .option('--port <number>', 'port to serve the page on', portNumber, 8346)
    .option('--headless', 'play in a headless browser and print each move')
    .option('--moves <number>', 'how many moves to play headless (default: 20)', wholeNumber)
    .option('--seed <number>', 'seed of the game to play headless (default: 1)', wholeNumber)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : usageExitCode))
    .parse();
  const flags = command.opts<Flags>();
  for (const name of ['moves', 'seed'] as const) {
    if (flags[name] !== undefined && flags.headless !== true)
      command.error(`error: '--${name}' is for '--headless'`);
  }
  return flags;
}

/** 0 lets the system choose a free one. */
function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

async function playHeadless(
  executablePath: string,
  server: StaticServer,
  { moves = 20, seed = 1 }: Flags,
): Promise<void> {
  const browser = await launchChromium(executablePath, { endOnSignals: true });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(pageTimeoutMs);
    const failure = watchForFailure(browser, page);
    await page.goto(`${server.origin}/?headless&seed=${seed}`);
    await Promise.race([playMoves(page, seed, moves), failure]);
  } finally {
    await browser.close();
  }
}

async function playMoves(page: Page, seed: number, moves: number): Promise<void> {
  await page.waitForFunction(() => window.strata !== undefined);
  const adapter = await page.evaluate(async () => {
    await window.strata?.ready;
    return window.strata?.adapter;
  });
  if (adapter === undefined) throw new Error('the page went away');
  console.log(`seed ${seed} on ${describeAdapter(adapter)}\n`);
  for (let number = 1; number <= moves; number++) {
    const move = await page.evaluate(() => window.strata?.playMove());
    if (move === undefined) throw new Error('the page went away');
    console.log(formatMove(number, move));
  }
}

function formatMove(number: number, { boardText, scores, choice, durationMs }: HeadlessMove): string {
  const lines = scores.map(
    ({ label, logit, probability }) =>
      `  ${label.padEnd(26)} ${logit.toFixed(4).padStart(9)} ${probability.toFixed(4).padStart(7)}`,
  );
  return [
    `move ${number}`,
    boardText.trimEnd(),
    ...lines,
    `chose ${choice} in ${durationMs.toFixed(1)} ms`,
    '',
  ].join('\n');
}

/** Opens the page where there is a display, in the browser that is known to be there. */
function openInBrowser(url: string, executablePath: string): void {
  const hasDisplay =
    process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
  if (!hasDisplay || process.env['CI'] !== undefined) return;
  const commands: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ['open', [url]],
    win32: ['cmd', ['/c', 'start', '', url]],
    linux: ['xdg-open', [url]],
  };
  const [program, args] = commands[process.platform] ?? [executablePath, [url]];
  spawn(program, args, { stdio: 'ignore', detached: true })
    .on('error', () => {
      console.log('open that address in a browser');
    })
    .unref();
}

main().catch((error: unknown) => {
  console.error(`npm start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
