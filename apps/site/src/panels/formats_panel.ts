import type { Agreement } from '../agreement.ts';
import { htmlById, make } from '../dom.ts';
import { formatBytes, formatMs } from '../format.ts';
import type { WeightFormat } from '../weight_formats.ts';

/** What is known of a format so far; a format that was never loaded has nothing. */
export interface FormatFacts {
  readonly checkpointBytes?: number;
  readonly deviceBytes?: number;
  readonly laterMedianMs?: number | undefined;
  readonly agreement?: Agreement | undefined;
}

/** The players by the format of their weights, side by side: a choice, and what each takes and gives. */
export class FormatsPanel {
  readonly #rows = htmlById('format-rows');
  readonly #state = htmlById('formats-state');
  readonly #facts = new Map<string, FormatFacts>();
  readonly #inputs = new Map<string, HTMLInputElement>();
  readonly #cells = new Map<string, readonly HTMLElement[]>();

  /** @param onChoose hears of the format that a person wants. */
  constructor(formats: readonly WeightFormat[], onChoose: (format: WeightFormat) => void) {
    this.#rows.replaceChildren(...formats.map((format) => this.#row(format, onChoose)));
  }

  /** Marks the format that plays; undefined where it is none of these. */
  showPlaying(playing: WeightFormat | undefined): void {
    for (const [id, input] of this.#inputs) input.checked = id === playing?.id;
    this.#state.textContent = 'the same game in fewer bits';
  }

  showLoading({ label }: WeightFormat): void {
    this.#state.textContent = `loading: ${label}`;
  }

  /** Says why a format did not come; the one that plays goes on. */
  showFailed({ label }: WeightFormat, playing: WeightFormat | undefined, error: unknown): void {
    this.showPlaying(playing);
    this.#state.textContent = `${label}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }

  /** Adds to what is known of a format. */
  add({ id }: WeightFormat, facts: FormatFacts): void {
    const known = { ...this.#facts.get(id), ...facts };
    this.#facts.set(id, known);
    const texts = [
      textOf(known.checkpointBytes, formatBytes),
      textOf(known.deviceBytes, formatBytes),
      textOf(known.laterMedianMs, formatMs),
      textOf(known.agreement, describeAgreement),
    ];
    this.#cells.get(id)?.forEach((cell, i) => (cell.textContent = texts[i] ?? ''));
  }

  #row(format: WeightFormat, onChoose: (format: WeightFormat) => void): HTMLElement {
    const input = make('input');
    input.type = 'radio';
    input.name = 'format';
    input.value = format.id;
    input.addEventListener('change', () => {
      onChoose(format);
    });
    const label = make('th', '', make('label', '', input, ` ${format.label}`));
    label.scope = 'row';
    const cells = Array.from({ length: 4 }, () => make('td', '', '–'));
    this.#inputs.set(format.id, input);
    this.#cells.set(format.id, cells);
    return make('tr', '', label, ...cells);
  }
}

function textOf<T>(value: T | undefined, format: (value: T) => string): string {
  return value === undefined ? '–' : format(value);
}

/** `19 of 20`: how many choices were the dense player's. */
function describeAgreement({ asked, agreed }: Agreement): string {
  return asked === 0 ? '–' : `${agreed} of ${asked}`;
}
