/** `npm run play:evaluate`: how well the model plays, beside its teacher and chance, on any backend. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describeAdapter } from '@tromino/lab';
import { Command, InvalidArgumentError, Option } from 'commander';
import { locateCheckpoint } from '../../../packages/lab/src/checkpoint_location.ts';
import { openSession } from '../../../packages/lab/src/sessions/open_session.ts';
import { backendNames, type BackendName } from '../../../packages/lab/src/sessions/session.ts';
import { evaluatePlayers } from './evaluate.ts';
import { formatEvaluation, summarisePlayer } from './report.ts';

interface Flags {
  readonly games: number;
  readonly pieces: number;
  readonly firstSeed: number;
  readonly batch: number;
  readonly backend: BackendName;
  readonly model: string;
  readonly decisions?: string;
  readonly json?: true;
}

const shippedModel = join(import.meta.dirname, '../../../models/polyomino-dense');

function parseFlags(): Flags {
  return new Command('npm run play:evaluate --')
    .description(
      'Plays seeded games of Strata with the model, its search teacher and random legal actions. A game of 150 pieces takes about 700 ' +
        'decisions: seconds for all games together on a GPU, minutes for one game on a software adapter or the CPU.',
    )
    .option('--games <number>', 'how many games', positiveInteger, 50)
    .option('--pieces <number>', 'how many pieces a game has', positiveInteger, 150)
    .option(
      '--first-seed <number>',
      'seed of the first game; each further game takes the next one',
      positiveInteger,
      1,
    )
    .option('--batch <number>', 'most prompts scored in one batch', positiveInteger, 64)
    .addOption(
      new Option('--backend <name>', 'headless Chromium (webgpu), Node through Dawn (dawn), or no GPU (cpu)')
        .choices(backendNames)
        .default('webgpu'),
    )
    .option('--model <folder>', 'checkpoint to play with', shippedModel)
    .option('--decisions <file>', "where to write the model's decisions, a line of JSON each")
    .option('--json', 'print one JSON document instead of a table')
    .parse()
    .opts<Flags>();
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Expected a positive whole number.');
  return Number(text);
}

async function main(): Promise<void> {
  const { games, pieces, firstSeed, batch: maxBatch, backend, model, decisions, json } = parseFlags();
  const location = locateCheckpoint(model);
  const interrupted = interruption();
  await using session = await openSession(backend, interrupted);
  const source = session.sourceOf(location);
  const { adapter } = await session.request('load', { source, ropeFrequencies: 'f32' });
  console.error(`${games} games of ${pieces} pieces on ${describeAdapter(adapter)}`);
  if (decisions !== undefined) writeFileSync(decisions, '');
  const players = await evaluatePlayers({
    games,
    pieces,
    firstSeed,
    maxBatch,
    signal: interrupted,
    scorePrompts: async (prompts) => {
      const results = await session.request('classify', { inputs: prompts });
      return results.map(({ scores }) => scores.map(({ logit }) => logit));
    },
    ...(decisions !== undefined && {
      onDecision: (decision) => {
        appendFileSync(decisions, `${JSON.stringify(decision)}\n`);
      },
    }),
    onProgress: (line) => {
      console.error(line);
    },
  });
  if (json) {
    const summaries = players.map((player) => ({ ...summarisePlayer(player), results: player.games }));
    console.log(
      JSON.stringify({ backend, adapter, games, pieces, firstSeed, players: summaries }, undefined, 2),
    );
  } else {
    console.log(formatEvaluation(players, pieces));
  }
}

/** Aborts on Ctrl-C and on a polite kill, so that the browser or process behind the session is closed. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort(new Error(`ended by ${name}`));
    });
  }
  return controller.signal;
}

/** Ends the process once what was printed is out: a browser's or a driver's leftovers must not keep it alive. */
function exit(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

main().then(
  () => {
    exit(0);
  },
  (error: unknown) => {
    console.error(`play:evaluate: ${error instanceof Error ? error.message : String(error)}`);
    exit(1);
  },
);
