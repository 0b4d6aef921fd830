/** `npm run agree -w bench`: whether a GPU backend and the portable one answer alike. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describeAdapter } from '@tromino/lab';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Extraction } from 'tromino';
import { locateCheckpoint } from '../../../packages/lab/src/checkpoint_location.ts';
import { openSession } from '../../../packages/lab/src/sessions/open_session.ts';
import type { BackendName } from '../../../packages/lab/src/sessions/session.ts';
import { compareAnswers, formatAgreement } from '../agree/agreement.ts';
import { answersPerQuestion, parseMessages, type Message } from '../agree/messages.ts';

interface Flags {
  readonly backend: BackendName;
  readonly model: string;
  readonly first: number;
  readonly json?: true;
}

const root = join(import.meta.dirname, '../../..');
const written = ['dev', 'test'].map((name) => join(root, `training/magicbox/handwritten/${name}.jsonl`));

async function main(): Promise<number> {
  const command = new Command('npm run agree -w bench --')
    .description(
      'Asks all questions of messages on WebGPU and on the portable backend, and compares the answers. Status 1 where one differs.',
    )
    .argument('[files...]', 'messages, a line of JSON each: { text, questions: [{ question }] }', written)
    .addOption(
      new Option('--backend <name>', 'headless Chromium or Dawn')
        .choices(['webgpu', 'dawn'])
        .default('webgpu'),
    )
    .option('--model <folder>', 'checkpoint that answers', join(root, 'models/magicbox'))
    .option('--first <number>', 'only so many of the messages', positiveInteger, Infinity)
    .option('--json', 'print one JSON document instead of lines')
    .parse();
  const { backend, model, first, json } = command.opts<Flags>();
  const files = command.processedArgs[0] as readonly string[];
  const messages = files.flatMap((file) => parseMessages(readFileSync(file, 'utf8'))).slice(0, first);
  const found = await answers(backend, model, messages);
  const agreement = compareAnswers(found, await answers('cpu', model, messages));
  console.log(json ? JSON.stringify(agreement, undefined, 2) : formatAgreement(agreement));
  return agreement.differing > 0 ? 1 : 0;
}

async function answers(
  backend: BackendName,
  folder: string,
  messages: readonly Message[],
): Promise<Extraction[][]> {
  await using session = await openSession(backend, new AbortController().signal);
  const source = session.sourceOf(locateCheckpoint(folder));
  const { adapter } = await session.request('load', { source, ropeFrequencies: 'f32' });
  console.error(`${messages.length} messages on ${describeAdapter(adapter)}`);
  const found: Extraction[][] = [];
  for (const { text, questions } of messages) {
    found.push(await session.request('extract', { text, questions, topK: answersPerQuestion }));
  }
  return found;
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Expected a positive whole number.');
  return Number(text);
}

main().then(
  (code) => {
    process.stdout.write('', () => process.exit(code));
  },
  (error: unknown) => {
    console.error(`agree: ${error instanceof Error ? error.message : String(error)}`);
    process.stdout.write('', () => process.exit(2));
  },
);
