/** The page: a game, a model that plays it, and panels that show what the model does. */
import type { LoadProgress } from 'tromino';
import { announce, htmlById } from './dom.ts';
import { describeFailure } from './failure_text.ts';
import { formatMs } from './format.ts';
import { GameSession } from './game_session.ts';
import { GameView } from './game_view.ts';
import { makeHeadless } from './headless.ts';
import { readPageOptions } from './page_options.ts';
import { AdapterPanel } from './panels/adapter_panel.ts';
import { MemoryPanel } from './panels/memory_panel.ts';
import { Overlay, type CardButton } from './panels/overlay.ts';
import { PromptPanel } from './panels/prompt_panel.ts';
import { ScoresPanel } from './panels/scores_panel.ts';
import { TimesPanel } from './panels/times_panel.ts';
import { loadPlayer, type Player } from './player.ts';
import type { BackendChoice, Failure, PlayerInfo } from './player_protocol.ts';

const options = readPageOptions(location.href);
const session = new GameSession(options.seed);
const adapterPanel = new AdapterPanel();
const scoresPanel = new ScoresPanel();
const timesPanel = new TimesPanel();
const memoryPanel = new MemoryPanel();
const promptPanel = new PromptPanel();
const overlay = new Overlay();
let player: Player | undefined;
/** Shows why the model does not play: it is being loaded, or it failed. Undefined while it can play. */
let showAbsence: (() => void) | undefined;

session.listen({
  decided(_before, { durationMs, memory, tokens }, choice) {
    scoresPanel.show(choice);
    scoresPanel.setState(`decided in ${formatMs(durationMs)}`);
    timesPanel.add(durationMs);
    promptPanel.show(tokens);
    if (player !== undefined) memoryPanel.show(player.info.plannedBytes, memory);
  },
  moved(_before, _action, after) {
    if (!after.over) return;
    overlay.showGameOver(after, [newGameButton()]);
    announce(`The game is over after ${after.pieces} pieces and ${after.lines} lines.`);
  },
  restarted() {
    if (overlay.kind === 'over') overlay.hide();
  },
  changed() {
    if (session.driver === 'model' && overlay.kind === undefined) showAbsence?.();
    // A person needs no model, so its card makes room.
    if (session.driver === 'you' && overlay.kind !== 'over') overlay.hide();
  },
  failed: showFailure,
});
new GameView(session);

const loading = load(options.backend);
if (options.isHeadless) window.strata = makeHeadless(session, loading);
else {
  loading.then(
    () => {
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches) startModel();
    },
    () => undefined, // It is on the page already.
  );
}

/** Loads the model, in place of the one that is there. @throws what `loadPlayer` throws, after showing it. */
async function load(backend: BackendChoice): Promise<PlayerInfo> {
  session.setPlayer(undefined);
  player?.dispose();
  player = undefined;
  adapterPanel.showLoading();
  timesPanel.clear();
  memoryPanel.clear();
  const buttons = [playYourselfButton()];
  let progress: LoadProgress = { phase: 'files', loadedBytes: 0, totalBytes: undefined, fraction: undefined };
  showAbsence = () => {
    overlay.showProgress(progress, buttons);
  };
  if (session.driver === 'model') showAbsence();
  try {
    player = await loadPlayer({
      modelUrl: options.modelUrl,
      backend,
      onProgress: (next) => {
        progress = next;
        if (overlay.kind === 'loading') showAbsence?.();
      },
    });
  } catch (error) {
    showFailure(error);
    throw error;
  }
  showAbsence = undefined;
  const { info } = player;
  adapterPanel.showLoaded(info, backend === 'auto');
  memoryPanel.show(info.plannedBytes, undefined);
  htmlById('facts').textContent = describePlayer(info);
  if (overlay.kind === 'loading') overlay.hide();
  announce('The model is loaded.');
  session.setPlayer(player);
  return info;
}

function describePlayer({ family, backend, numSteps, planHash }: PlayerInfo): string {
  return `The player is a ${family} classifier of 346 tokens and 8 classes. One decision is ${numSteps} steps on ${
    backend === 'webgpu' ? 'WebGPU' : 'the CPU'
  }, planned before it runs; the plan's fingerprint is ${planHash}.`;
}

function showFailure(error: unknown): void {
  const failure: Failure = error instanceof Error ? error : { name: 'Error', message: String(error) };
  const { title, retry, offersCpu } = describeFailure(failure);
  const buttons = [reloadButton(retry, options.backend)];
  if (offersCpu) buttons.push(reloadButton('Use the CPU', 'cpu'));
  buttons.push(playYourselfButton());
  adapterPanel.showFailed(title);
  showAbsence = () => {
    overlay.showFailure(failure, buttons);
  };
  if (session.driver === 'model') showAbsence();
  announce(title);
}

function reloadButton(label: string, backend: BackendChoice): CardButton {
  return {
    label,
    onPress: () => {
      load(backend).then(
        startModel,
        () => undefined, // It is on the page already.
      );
    },
  };
}

/** Starts the clock for the model, unless a person has taken the game meanwhile. */
function startModel(): void {
  if (session.driver === 'model') session.start();
}

function playYourselfButton(): CardButton {
  return {
    label: 'Play it yourself',
    onPress: () => {
      overlay.hide();
      session.setDriver('you');
      htmlById('board').focus({ preventScroll: true });
    },
  };
}

function newGameButton(): CardButton {
  return {
    label: 'New game',
    onPress: () => {
      session.restart((session.seed + 1) >>> 0);
    },
  };
}
