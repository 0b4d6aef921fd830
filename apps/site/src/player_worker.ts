/** The worker in which the player lives, so that the board stays smooth while it thinks. */
import { ACTIONS, PROMPT_TOKENS } from '@tromino/strata';
import { FormatError, loadClassifier, type Classifier, type OnProgress } from 'tromino';
import type { ModelChoice } from './model_protocol.ts';
import type { Decision, PlayerInfo } from './player_protocol.ts';
import { serveModel } from './serve_model.ts';

let model: Classifier | undefined;

serveModel<PlayerInfo, string, Decision>({ load, call: decide });

async function load({ modelUrl, backend }: ModelChoice, onProgress: OnProgress): Promise<PlayerInfo> {
  let checkpointBytes = 0;
  model = await loadClassifier(modelUrl, {
    backend,
    onProgress: (progress) => {
      checkpointBytes = progress.loadedBytes;
      onProgress(progress);
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
