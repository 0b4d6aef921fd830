import type { GameState } from '@tromino/strata';
import type { LoadProgress } from 'tromino';
import { byId, htmlById, make } from '../dom.ts';
import { describeFailure } from '../failure_text.ts';
import { formatBytes } from '../format.ts';
import type { Failure } from '../player_protocol.ts';

/** A button of the card. */
export interface CardButton {
  readonly label: string;
  readonly onPress: () => void;
}

/** The card over the board: loading, a failure, or the end of a game. */
export class Overlay {
  readonly #root = htmlById('overlay');
  readonly #title = htmlById('card-title');
  readonly #text = htmlById('card-text');
  readonly #detail = htmlById('card-detail');
  readonly #progress = byId('load-progress', HTMLProgressElement);
  readonly #buttons = htmlById('card-buttons');

  get kind(): string | undefined {
    return this.#root.hidden ? undefined : this.#root.dataset['kind'];
  }

  hide(): void {
    this.#root.hidden = true;
  }

  showProgress(
    { phase, loadedBytes, totalBytes, fraction }: LoadProgress,
    buttons: readonly CardButton[],
  ): void {
    if (this.kind !== 'loading') this.#show('loading', 'Fetching the player', buttons);
    if (fraction === undefined) this.#progress.removeAttribute('value');
    else this.#progress.value = fraction;
    const phases: Readonly<Record<LoadProgress['phase'], string>> = {
      files: 'Reading the checkpoint',
      weights: `${formatBytes(loadedBytes)} of ${totalBytes === undefined ? 'unknown' : formatBytes(totalBytes)}`,
      pipelines: 'Compiling pipelines',
      ready: `${formatBytes(loadedBytes)} loaded`,
    };
    this.#text.textContent = phases[phase];
  }

  showFailure(failure: Failure, buttons: readonly CardButton[]): void {
    const { title, advice } = describeFailure(failure);
    this.#show('failed', title, buttons);
    this.#text.textContent = advice;
    this.#detail.hidden = false;
    this.#detail.textContent = `${failure.name}: ${failure.message}`;
  }

  showGameOver({ pieces, lines }: GameState, buttons: readonly CardButton[]): void {
    this.#show('over', 'The pile reached the top', buttons);
    this.#text.textContent = `${pieces} pieces, ${lines} lines.`;
  }

  #show(kind: 'loading' | 'failed' | 'over', title: string, buttons: readonly CardButton[]): void {
    this.#root.hidden = false;
    this.#root.dataset['kind'] = kind;
    this.#title.textContent = title;
    this.#detail.hidden = true;
    this.#progress.hidden = kind !== 'loading';
    this.#buttons.replaceChildren(
      ...buttons.map(({ label, onPress }, i) => {
        const button = make('button', i === 0 && kind !== 'loading' ? 'primary' : '', label);
        button.type = 'button';
        button.addEventListener('click', onPress);
        return button;
      }),
    );
  }
}
