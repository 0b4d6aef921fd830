import type { LoadProgress } from 'tromino';
import { announce, htmlById, make } from '../dom.ts';
import { describeReaderFailure } from '../failure_text.ts';
import { failureOf, type BackendChoice, type ModelChoice } from '../model_protocol.ts';
import { Overlay, type CardButton } from '../panels/overlay.ts';
import { CostView } from './cost_view.ts';
import { examples } from './examples.ts';
import { MagicSession } from './magic_session.ts';
import { QuestionsView } from './questions_view.ts';
import { loadReader, type Reader } from './reader.ts';
import { describeAnswers } from './session_text.ts';
import { TextView } from './text_view.ts';

/** How long answers must rest before they are read out: not at every key. */
const announceAfterMs = 1200;

/** MagicBox on the page: loads its model when a person asks for it, shows what it finds, and puts it away. */
export class MagicBox {
  readonly #choice: ModelChoice;
  readonly #session = new MagicSession();
  readonly #cost = new CostView();
  readonly #card = new Overlay(htmlById('magicbox-card'), {
    loading: 'Fetching MagicBox',
    describeFailure: describeReaderFailure,
  });
  #reader: Reader | undefined;
  #loading: AbortController | undefined;
  #announcing: ReturnType<typeof setTimeout> | undefined;

  constructor(choice: ModelChoice) {
    this.#choice = choice;
    const text = new TextView(this.#session);
    new QuestionsView(this.#session, {
      selected: ({ best }) => {
        if (best !== undefined) text.select(best.start, best.end);
      },
      lookedAt: (question) => {
        text.highlight(question);
      },
    });
    this.#session.listen({
      answered: (reading) => {
        this.#cost.add(reading);
        this.#announceSoon();
      },
      failed: (error) => {
        this.#putAway();
        this.#showFailure(error);
      },
    });
    this.#listExamples();
    htmlById('magicbox-put-away').addEventListener('click', () => {
      this.#putAway();
      this.#offer();
    });
    window.addEventListener('pagehide', () => {
      this.#putAway();
      this.#offer();
    });
    this.#session.showExample(examples[0]);
    this.#offer();
  }

  #listExamples(): void {
    const chips = examples.map((example) => {
      const chip = make('button', 'chip', example.name);
      chip.type = 'button';
      this.#session.listen({
        changed: () => {
          chip.ariaPressed = String(this.#session.text === example.text);
        },
      });
      chip.addEventListener('click', () => {
        this.#session.showExample(example);
      });
      return chip;
    });
    htmlById('magicbox-examples').replaceChildren(...chips);
  }

  #offer(): void {
    this.#card.show(
      'offer',
      'Not loaded yet',
      'It is downloaded when you ask for it, and runs beside the game.',
      [this.#loadButton('Load MagicBox', this.#choice.backend)],
    );
  }

  async #load(backend: BackendChoice): Promise<void> {
    this.#putAway();
    const loading = new AbortController();
    this.#loading = loading;
    const cancel: CardButton = {
      label: 'Cancel',
      onPress: () => {
        this.#putAway();
        this.#offer();
      },
    };
    const onProgress = (progress: LoadProgress): void => {
      if (this.#loading === loading) this.#card.showProgress(progress, [cancel]);
    };
    onProgress({ phase: 'files', loadedBytes: 0, totalBytes: undefined, fraction: undefined });
    try {
      const reader = await loadReader({ ...this.#choice, backend, onProgress, signal: loading.signal });
      if (this.#loading === loading) this.#install(reader);
      else reader.dispose();
    } catch (error) {
      // A load that was stopped has nothing to say any more.
      if (this.#loading === loading) this.#showFailure(error);
    } finally {
      if (this.#loading === loading) this.#loading = undefined;
    }
  }

  #install(reader: Reader): void {
    this.#reader = reader;
    this.#card.hide();
    this.#cost.showLoaded(reader.info);
    announce('MagicBox is loaded.');
    this.#session.setReader(reader);
  }

  /** Gives back all that the model holds; what is being loaded is stopped. */
  #putAway(): void {
    clearTimeout(this.#announcing);
    const loading = this.#loading;
    this.#loading = undefined;
    loading?.abort();
    this.#session.setReader(undefined);
    this.#reader?.dispose();
    this.#reader = undefined;
    this.#cost.clear();
  }

  #showFailure(error: unknown): void {
    const failure = failureOf(error);
    const { title, retry, offersCpu } = describeReaderFailure(failure);
    const buttons = [this.#loadButton(retry, this.#choice.backend)];
    if (offersCpu) buttons.push(this.#loadButton('Use the CPU', 'cpu'));
    this.#card.showFailure(failure, buttons);
    announce(title);
  }

  #loadButton(label: string, backend: BackendChoice): CardButton {
    return {
      label,
      onPress: () => {
        this.#load(backend).catch((error: unknown) => {
          this.#showFailure(error);
        });
      },
    };
  }

  #announceSoon(): void {
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => {
      announce(describeAnswers(this.#session));
    }, announceAfterMs);
  }
}
