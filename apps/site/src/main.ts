/** The page: a game, a model that plays it, panels that show what the model does, and MagicBox, a second model beside it. */
import type { GameState } from '@tromino/strata';
import type { LoadProgress, OnProgress } from 'tromino';
import { DecisionNotice } from './decision_notice.ts';
import { announce, htmlById } from './dom.ts';
import { describePlayerFailure } from './failure_text.ts';
import { formatMs } from './format.ts';
import { GameSession } from './game_session.ts';
import { GameView } from './game_view.ts';
import { makeHeadless } from './headless.ts';
import { readPageOptions } from './page_options.ts';
import { AgreementMeter } from './agreement.ts';
import type { Choice } from './choice.ts';
import { AdapterPanel } from './panels/adapter_panel.ts';
import { FormatsPanel } from './panels/formats_panel.ts';
import { MemoryPanel } from './panels/memory_panel.ts';
import { Overlay, type CardButton } from './panels/overlay.ts';
import { PromptPanel } from './panels/prompt_panel.ts';
import { ScoresPanel } from './panels/scores_panel.ts';
import { TimesPanel } from './panels/times_panel.ts';
import { loadPlayer, type Player } from './player.ts';
import { PlayerRack } from './player_rack.ts';
import { MagicBox } from './magicbox/magic_box.ts';
import { failureOf, type BackendChoice } from './model_protocol.ts';
import type { PlayerInfo } from './player_protocol.ts';
import { denseFormat, formatOfUrl, formatUrl, weightFormats, type WeightFormat } from './weight_formats.ts';

const options = readPageOptions(location.href);
const session = new GameSession(options.seed);
const adapterPanel = new AdapterPanel();
const scoresPanel = new ScoresPanel();
const timesPanel = new TimesPanel();
const memoryPanel = new MemoryPanel();
const promptPanel = new PromptPanel();
const overlay = new Overlay(htmlById('overlay'), {
  loading: 'Fetching the player',
  describeFailure: describePlayerFailure,
});
const modelsUrl = new URL('models/', location.href).href;
const formatsPanel = new FormatsPanel(weightFormats, (format) => {
  switchTo(format).catch(showFailure);
});
let backend = options.backend;
let onProgress: OnProgress | undefined;
const rack = new PlayerRack(formatUrl(denseFormat, modelsUrl), (modelUrl) =>
  loadPlayer({ modelUrl, backend, onProgress: (progress) => onProgress?.(progress) }),
);
/** What the dense player says of the choices of another that plays. */
let meter: AgreementMeter | undefined;
/** Players that have decided something, and so have compiled. */
const seasoned = new WeakSet<Player>();
const notice = new DecisionNotice((text) => {
  scoresPanel.setThinking(text);
});
/** Shows why the model does not play: it is being loaded, or it failed. Undefined while it can play. */
let showAbsence: (() => void) | undefined;

session.listen({
  decided(before, { durationMs, memory, tokens }, choice) {
    if (rack.playing !== undefined) seasoned.add(rack.playing);
    scoresPanel.show(choice);
    scoresPanel.setState(`decided in ${formatMs(durationMs)}`);
    timesPanel.add(durationMs);
    promptPanel.show(tokens);
    if (rack.playing !== undefined) memoryPanel.show(rack.playing.info.plannedBytes, memory);
    const format = formatOfUrl(rack.playingUrl ?? '');
    if (format === undefined) return;
    formatsPanel.add(format, { laterMedianMs: timesPanel.laterMedianMs });
    if (meter !== undefined) compareWithDense(meter, format, before, choice);
  },
  moved(_before, _action, after) {
    if (!after.over) return;
    const { pieces, lines } = after;
    overlay.show('over', 'The pile reached the top', `${pieces} pieces, ${lines} lines.`, [newGameButton()]);
    announce(`The game is over after ${pieces} pieces and ${lines} lines.`);
  },
  restarted() {
    if (overlay.kind === 'over') overlay.hide();
  },
  changed() {
    notice.update({
      isDeciding: session.isDeciding && session.driver === 'model',
      isFirst: rack.playing !== undefined && !seasoned.has(rack.playing),
      compiles: rack.playing?.info.backend === 'webgpu',
    });
    if (session.driver === 'model' && overlay.kind === undefined) showAbsence?.();
    // A person needs no model, so its card makes room.
    if (session.driver === 'you' && overlay.kind !== 'over') overlay.hide();
  },
  failed: showFailure,
});
new GameView(session);
new MagicBox({ modelUrl: options.magicBoxUrl, backend: options.backend });

const loading = load(options.backend, options.modelUrl);
if (options.isHeadless) window.strata = makeHeadless(session, loading);
else {
  loading.then(
    () => {
      if (!matchMedia('(prefers-reduced-motion: reduce)').matches) startModel();
    },
    () => undefined, // It is on the page already.
  );
}

/** Loads the model afresh, in place of all that are there. @throws what `loadPlayer` throws, after showing it. */
async function load(wantedBackend: BackendChoice, modelUrl: string): Promise<PlayerInfo> {
  session.setPlayer(undefined);
  rack.clear();
  backend = wantedBackend;
  adapterPanel.showLoading();
  timesPanel.clear();
  memoryPanel.clear();
  const buttons = [playYourselfButton()];
  let progress: LoadProgress = { phase: 'files', loadedBytes: 0, totalBytes: undefined, fraction: undefined };
  showAbsence = () => {
    overlay.showProgress(progress, buttons);
  };
  if (session.driver === 'model') showAbsence();
  onProgress = (next) => {
    progress = next;
    if (overlay.kind === 'loading') showAbsence?.();
  };
  let info: PlayerInfo | undefined;
  try {
    await rack.play(modelUrl, (player) => {
      showAbsence = undefined;
      if (overlay.kind === 'loading') overlay.hide();
      install(player);
      info = player.info;
    });
  } catch (error) {
    showFailure(error);
    throw error;
  } finally {
    onProgress = undefined;
  }
  if (info === undefined) throw new Error('another player was asked for meanwhile');
  return info;
}

/** Changes the format of the weights while the game goes on: the old player plays until the new one is there. */
async function switchTo(format: WeightFormat): Promise<void> {
  formatsPanel.showLoading(format);
  try {
    if (!(await rack.play(formatUrl(format, modelsUrl), install))) return;
    await rack.loadReference();
    meter = rack.reference && new AgreementMeter(rack.reference);
  } catch (error) {
    formatsPanel.showFailed(format, formatOfUrl(rack.playingUrl ?? ''), error);
  }
}

/** Gives the game to a player that was just loaded, and shows what it says of itself. */
function install(player: Player): void {
  const { info } = player;
  const format = formatOfUrl(rack.playingUrl ?? '');
  meter = undefined;
  adapterPanel.showLoaded(info, backend === 'auto');
  timesPanel.clear();
  memoryPanel.show(info.plannedBytes, undefined);
  formatsPanel.showPlaying(format);
  if (format !== undefined) {
    const { checkpointBytes, plannedBytes } = info;
    formatsPanel.add(format, { checkpointBytes, deviceBytes: plannedBytes.weights });
  }
  htmlById('facts').textContent = describePlayer(info);
  announce('The model is loaded.');
  session.setPlayer(player);
}

function compareWithDense(
  measure: AgreementMeter,
  format: WeightFormat,
  before: GameState,
  choice: Choice,
): void {
  measure.compare(before, choice).then(
    () => {
      formatsPanel.add(format, { agreement: measure.agreement });
    },
    () => {
      if (meter === measure) meter = undefined; // The reference is gone, with its device or with a switch: the game does not need it.
    },
  );
}

function describePlayer({ family, backend, numSteps, planHash }: PlayerInfo): string {
  return `The player is a ${family} classifier of 346 tokens and 8 classes. One decision is ${numSteps} steps on ${
    backend === 'webgpu' ? 'WebGPU' : 'the CPU'
  }, planned before it runs; the plan's fingerprint is ${planHash}.`;
}

function showFailure(error: unknown): void {
  const failure = failureOf(error);
  const { title, retry, offersCpu } = describePlayerFailure(failure);
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

function reloadButton(label: string, wantedBackend: BackendChoice): CardButton {
  return {
    label,
    onPress: () => {
      load(wantedBackend, rack.playingUrl ?? options.modelUrl).then(
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
