import { Action, pieceAt, type GameState } from '@tromino/strata';
import { BoardCanvas } from './board_canvas.ts';
import { byId, canvasById, htmlById } from './dom.ts';
import { formatInteger } from './format.ts';
import type { GameSession } from './game_session.ts';
import { actionOfKey } from './keyboard.ts';
import { maxSeed, parseSeed } from './page_options.ts';
import { PieceCanvas } from './piece_canvas.ts';

/** The game on the page: board, held and next pieces, tally, buttons and keys. */
export class GameView {
  readonly #session: GameSession;
  readonly #board: BoardCanvas;
  readonly #hold = new PieceCanvas(...canvasById('hold'));
  readonly #next = [new PieceCanvas(...canvasById('next-1')), new PieceCanvas(...canvasById('next-2'))];
  readonly #boardElement = htmlById('board');
  readonly #runButton = byId('run', HTMLButtonElement);
  readonly #stepButton = byId('step', HTMLButtonElement);
  readonly #driverButton = byId('driver', HTMLButtonElement);
  readonly #speed = byId('speed', HTMLSelectElement);
  readonly #seed = byId('seed', HTMLInputElement);
  readonly #pad = htmlById('pad');

  constructor(session: GameSession) {
    this.#session = session;
    this.#board = new BoardCanvas(...canvasById('board'), session.state);
    session.setInterval(Number(this.#speed.value));
    session.listen({
      moved: (before, action, after) => {
        this.#board.play(before, action, after);
        this.#showState(after);
      },
      restarted: (state) => {
        this.#board.reset(state);
        this.#showState(state);
      },
      changed: () => {
        this.#showControls();
      },
    });
    this.#listenToControls();
    this.#listenToKeys();
    this.#seed.value = String(session.seed);
    this.#showState(session.state);
    this.#showControls();
  }

  #listenToControls(): void {
    const session = this.#session;
    this.#runButton.addEventListener('click', () => {
      if (session.isRunning) session.pause();
      else session.start();
    });
    this.#stepButton.addEventListener('click', () => {
      session.pause();
      session.step();
    });
    this.#driverButton.addEventListener('click', () => {
      this.#handOver();
    });
    this.#speed.addEventListener('change', () => {
      session.setInterval(Number(this.#speed.value));
    });
    this.#seed.addEventListener('input', () => {
      const isValid = parseSeed(this.#seed.value) !== undefined;
      this.#seed.setCustomValidity(isValid ? '' : `A whole number from 0 to ${maxSeed}`);
    });
    byId('new-game', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      const seed = parseSeed(this.#seed.value);
      if (seed !== undefined) session.restart(seed);
    });
    for (const button of this.#pad.querySelectorAll<HTMLButtonElement>('button[data-action]')) {
      const action = Object.values(Action).find((one) => String(one) === button.dataset['action']);
      button.addEventListener('click', () => {
        if (action !== undefined) session.act(action);
      });
    }
  }

  #handOver(): void {
    const driver = this.#session.driver === 'model' ? 'you' : 'model';
    this.#session.setDriver(driver);
    // The board takes the keys, so that space drops a piece instead of pressing the button again.
    if (driver === 'you') this.#boardElement.focus({ preventScroll: true });
  }

  #listenToKeys(): void {
    window.addEventListener('keydown', (event) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, select, textarea, button, summary');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.#session.driver !== 'you')
        return;
      const action = actionOfKey(event.key);
      if (action === undefined) return;
      event.preventDefault();
      this.#session.act(action);
    });
  }

  #showState(state: GameState): void {
    this.#hold.show(state.hold, state.holdUsed);
    htmlById('hold').ariaLabel = `Held piece: ${state.hold === null ? 'none' : pieceAt(state.hold).mineral}`;
    this.#next.forEach((canvas, i) => {
      const piece = state.queue[i] ?? null;
      canvas.show(piece);
      htmlById(`next-${i + 1}`).ariaLabel =
        `${i === 0 ? 'Next piece' : 'The piece after'}: ${piece === null ? 'none' : pieceAt(piece).mineral}`;
    });
    for (const name of ['lines', 'pieces', 'score', 'steps'] as const) {
      htmlById(name).textContent = formatInteger(state[name]);
    }
    this.#boardElement.ariaLabel = state.over
      ? 'The board: the game is over'
      : `The board: ${pieceAt(state.piece).mineral} is falling, ${state.lines} lines cleared`;
  }

  #showControls(): void {
    const { driver, isRunning, canStep, isDeciding, state } = this.#session;
    const canRun = !state.over && (driver === 'you' || canStep);
    this.#runButton.disabled = !canRun;
    this.#runButton.textContent = isRunning ? 'Pause' : 'Start';
    this.#stepButton.disabled = !canStep || isDeciding || isRunning;
    this.#driverButton.ariaPressed = String(driver === 'you');
    this.#driverButton.textContent = driver === 'you' ? 'Give it to the model' : 'Play it yourself';
    this.#pad.hidden = driver !== 'you';
  }
}
