/**
 * Whether WebGPU and the portable backend answer alike, as a page. It reads `agree.json` beside it (`{ folder, messages: [file, …] }`),
 * answers all messages on both, prints the figures and ends with `window.done`, the agreement and the adapter in `window.result`.
 */
import { loadExtractor, type Extraction } from 'tromino';
import { runPage } from '../run_page.ts';
import { compareAnswers, formatAgreement } from './agreement.ts';
import { answersTo, parseMessages, type Message } from './messages.ts';
import type { PortableWork } from './portable_worker.ts';

interface AgreeSettings {
  readonly folder: string;
  readonly messages: readonly string[];
}

const mostWorkers = 12;

async function main(): Promise<void> {
  const { folder, messages: files } = JSON.parse(await read('agree.json')) as AgreeSettings;
  const messages = (await Promise.all(files.map(read))).flatMap(parseMessages);
  const source = new URL(folder, location.href).href;
  const portable = portableAnswers(source, messages);
  // Awaited below; a failure before that must not count as unheard.
  portable.catch(() => undefined);
  using model = await loadExtractor(source, { backend: 'webgpu' });
  const found: Extraction[][] = [];
  for (const message of messages) found.push(await answersTo(message, model));
  console.log(`answered by ${JSON.stringify(model.adapter)}`);
  const agreement = compareAnswers(found, await portable);
  for (const line of formatAgreement(agreement).split('\n')) console.log(line);
  window.result = { ...agreement, adapter: model.adapter };
}

/** The portable backend's answers, by as many threads as there are processors. */
async function portableAnswers(source: string, messages: readonly Message[]): Promise<Extraction[][]> {
  const numWorkers = Math.min(navigator.hardwareConcurrency, mostWorkers, messages.length);
  const answers: Extraction[][] = [];
  await Promise.all(
    Array.from({ length: numWorkers }, async (_, first) => {
      const mine = messages.filter((_, index) => index % numWorkers === first);
      const found = await byWorker({ source, messages: mine });
      found.forEach((extractions, i) => {
        answers[first + i * numWorkers] = extractions;
      });
    }),
  );
  return answers;
}

function byWorker(work: PortableWork): Promise<Extraction[][]> {
  const worker = new Worker(new URL('portable_worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Extraction[][]>((resolve, reject) => {
    const answers: Extraction[][] = [];
    worker.addEventListener('message', ({ data }: MessageEvent<Extraction[]>) => {
      answers.push(data);
      if (answers.length === work.messages.length) resolve(answers);
    });
    worker.addEventListener('error', ({ message }) => {
      reject(new Error(`portable backend: ${message}`));
    });
    worker.postMessage(work);
  }).finally(() => {
    worker.terminate();
  });
}

async function read(path: string): Promise<string> {
  const response = await fetch(new URL(path, location.href));
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return await response.text();
}

runPage(main);
