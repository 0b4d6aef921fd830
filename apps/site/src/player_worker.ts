/** The worker in which the model lives, so that the board stays smooth while it thinks. */
import { ACTIONS, PROMPT_TOKENS } from '@tromino/strata';
import { FormatError, loadClassifier, type Classifier } from 'tromino';
import type { Decision, Failure, PlayerAnswer, PlayerInfo, PlayerRequest } from './player_protocol.ts';

let model: Classifier | undefined;

self.addEventListener('message', ({ data }: MessageEvent<PlayerRequest>) => {
  answer(data).then(send, (error: unknown) => {
    send({ kind: 'failed', id: data.kind === 'decide' ? data.id : undefined, failure: failureOf(error) });
  });
});

async function answer(request: PlayerRequest): Promise<PlayerAnswer> {
  switch (request.kind) {
    case 'load':
      return { kind: 'loaded', info: await load(request) };
    case 'decide':
      return { kind: 'decided', id: request.id, decision: await decide(request.prompt) };
  }
}

async function load({ modelUrl, backend }: Extract<PlayerRequest, { kind: 'load' }>): Promise<PlayerInfo> {
  let checkpointBytes = 0;
  model = await loadClassifier(modelUrl, {
    backend,
    onProgress: (progress) => {
      checkpointBytes = progress.loadedBytes;
      send({ kind: 'progress', progress });
    },
  });
  requireActionLabels(model.labels);
  const plan = model.plan(PROMPT_TOKENS);
  return {
    family: model.family,
    backend: model.backend,
    adapter: model.adapter,
    checkpointBytes,
    plannedBytes: plan.bytes,
    numSteps: plan.steps.length,
    planHash: plan.hash,
    memory: model.memory(),
  };
}

/** A classifier of something else would play nonsense without complaint. */
function requireActionLabels(labels: readonly string[]): void {
  if (labels.join() === ACTIONS.join()) return;
  throw new FormatError(
    'config.json',
    `expected the labels of Strata's actions (${ACTIONS.join(', ')}), found ${labels.join(', ')}`,
  );
}

async function decide(prompt: string): Promise<Decision> {
  if (model === undefined) throw new Error('a decision was asked for before the model was loaded');
  const startMs = performance.now();
  const { scores, tokens } = await model.classify(prompt);
  const durationMs = performance.now() - startMs;
  return { scores, tokens, durationMs, memory: model.memory() };
}

function failureOf(error: unknown): Failure {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

function send(message: PlayerAnswer): void {
  self.postMessage(message);
}
