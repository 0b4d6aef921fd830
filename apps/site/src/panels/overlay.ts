import type { LoadProgress } from 'tromino';
import { make, within } from '../dom.ts';
import type { DescribeFailure } from '../failure_text.ts';
import { formatBytes } from '../format.ts';
import type { Failure } from '../model_protocol.ts';

/** A button of the card. */
export interface CardButton {
  readonly label: string;
  readonly onPress: () => void;
}

/** Why a card is there: a model is offered, is being loaded or failed, or a game is over. */
export type CardKind = 'offer' | 'loading' | 'failed' | 'over';

/** What a card says of its model. */
export interface CardWords {
  /** Title while it is being loaded. */
  readonly loading: string;
  readonly describeFailure: DescribeFailure;
}

/** A card in the place of a model that is not there, or over a game that has ended. */
export class Overlay {
  readonly #root: HTMLElement;
  readonly #words: CardWords;
  readonly #title: HTMLElement;
  readonly #text: HTMLElement;
  readonly #detail: HTMLElement;
  readonly #progress: HTMLProgressElement;
  readonly #buttons: HTMLElement;

  /** @param root the markup of a card, which shows what its `data-kind` says until this takes over. */
  constructor(root: HTMLElement, words: CardWords) {
    this.#root = root;
    this.#words = words;
    this.#title = within(root, '.card-title', HTMLElement);
    this.#text = within(root, '.card-text', HTMLElement);
    this.#detail = within(root, '.card-detail', HTMLElement);
    this.#progress = within(root, 'progress', HTMLProgressElement);
    this.#buttons = within(root, '.card-buttons', HTMLElement);
  }

  get kind(): string | undefined {
    return this.#root.hidden ? undefined : this.#root.dataset['kind'];
  }

  hide(): void {
    this.#root.hidden = true;
  }

  show(kind: CardKind, title: string, text: string, buttons: readonly CardButton[]): void {
    this.#root.hidden = false;
    this.#root.dataset['kind'] = kind;
    this.#title.textContent = title;
    this.#text.textContent = text;
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

  showProgress(
    { phase, loadedBytes, totalBytes, fraction }: LoadProgress,
    buttons: readonly CardButton[],
  ): void {
    const phases: Readonly<Record<LoadProgress['phase'], string>> = {
      files: 'Reading the checkpoint',
      weights: `${formatBytes(loadedBytes)} of ${totalBytes === undefined ? 'unknown' : formatBytes(totalBytes)}`,
      pipelines: 'Compiling pipelines',
      ready: `${formatBytes(loadedBytes)} loaded`,
    };
    // Only the first of a load draws the buttons: one that is being pressed must not be replaced.
    if (this.kind !== 'loading') this.show('loading', this.#words.loading, phases[phase], buttons);
    if (fraction === undefined) this.#progress.removeAttribute('value');
    else this.#progress.value = fraction;
    this.#text.textContent = phases[phase];
  }

  showFailure(failure: Failure, buttons: readonly CardButton[]): void {
    const { title, advice } = this.#words.describeFailure(failure);
    this.show('failed', title, advice, buttons);
    this.#detail.hidden = false;
    this.#detail.textContent = `${failure.name}: ${failure.message}`;
  }
}
