/** `npm start`: builds the page, serves it and opens it; with `--headless` lets the model play in a headless browser and prints each move. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { chromiumLaunchOptions, ensureChromium, startServer, type StaticServer } from '@tromino/lab';
import { Command, InvalidArgumentError } from 'commander';
import { chromium } from 'playwright';
import { build } from 'vite';

interface Flags {
  readonly port: number;
  readonly headless?: true;
  readonly moves: number;
  readonly seed: number;
}

/** What the page offers when it is opened with `?headless`: the game, one move at a time. */
interface Strata {
  readonly ready: Promise<unknown>;
  readonly adapter: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
  };
  playMove(): Promise<Move>;
}

interface Move {
  readonly boardText: string;
  readonly scores: readonly {
    readonly label: string;
    readonly logit: number;
    readonly probability: number;
  }[];
  readonly choice: string;
  readonly durationMs: number;
}

const siteFolder = join(import.meta.dirname, '../apps/site');
const modelsFolder = join(import.meta.dirname, '../models');
const pageTimeoutMs = 120_000;

async function main(): Promise<void> {
  const flags = parseFlags();
  const executablePath = ensureChromium(console.log);
  await build({ root: siteFolder, logLevel: 'warn' });
  const server = await startServer({ port: flags.headless === true ? 0 : flags.port });
  server.mount('/', { folder: join(siteFolder, 'dist') });
  server.mount('/models/', { folder: modelsFolder });
  if (flags.headless === true) {
    await playHeadless(executablePath, server, flags).finally(() => server.close());
    return;
  }
  console.log(`Strata is at ${server.origin}/ (Ctrl-C ends it)`);
  openInBrowser(`${server.origin}/`, executablePath);
}

function parseFlags(): Flags {
  return new Command('npm start --')
    .description('Plays Strata in a page: a trained model moves the pieces.')
    .option('--port <number>', 'port to serve the page on', wholeNumber, 8346)
    .option('--headless', 'play in a headless browser and print each move')
    .option('--moves <number>', 'how many moves to play headless', wholeNumber, 20)
    .option('--seed <number>', 'seed of the game to play headless', wholeNumber, 1)
    .parse()
    .opts<Flags>();
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

async function playHeadless(
  executablePath: string,
  server: StaticServer,
  { moves, seed }: Flags,
): Promise<void> {
  const browser = await chromium.launch(chromiumLaunchOptions(executablePath));
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(pageTimeoutMs);
    const failed = new Promise<never>((_, fail) => {
      browser.on('disconnected', () => {
        fail(new Error('the browser ended'));
      });
      page.on('crash', () => {
        fail(new Error('the page crashed'));
      });
      page.on('pageerror', (error) => {
        fail(new Error(`uncaught in the page: ${error.message}`));
      });
    });
    failed.catch(() => undefined); // The browser's end after the last move is no failure.
    const play = async (): Promise<void> => {
      await page.goto(`${server.origin}/?headless&seed=${seed}`);
      await page.waitForFunction(() => 'strata' in window);
      const adapter = await page.evaluate(async () => {
        const { strata } = window as unknown as { strata: Strata };
        await strata.ready;
        return strata.adapter;
      });
      console.log(
        `playing seed ${seed} on ${adapter.vendor} ${adapter.architecture} ${adapter.description}`.trimEnd(),
      );
      for (let number = 1; number <= moves; number++) {
        const move = await page.evaluate(() => (window as unknown as { strata: Strata }).strata.playMove());
        console.log(formatMove(number, move));
      }
    };
    await Promise.race([play(), failed]);
  } finally {
    await browser.close();
  }
}

function formatMove(number: number, { boardText, scores, choice, durationMs }: Move): string {
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
