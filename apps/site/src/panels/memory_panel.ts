import type { MemoryReport, PlanBytes } from 'tromino';
import { htmlById, make } from '../dom.ts';
import { formatBytes, formatInteger } from '../format.ts';
import { compareMemory, type ComparedBytes } from '../memory_comparison.ts';
import { mineralColor } from '../minerals.ts';

/** Bytes by category: what the plan says beforehand, and what was really asked for. */
export class MemoryPanel {
  readonly #bar = htmlById('memory-bar');
  readonly #rows = htmlById('memory-rows');
  readonly #state = htmlById('memory-state');

  constructor() {
    this.clear();
  }

  clear(): void {
    const nothing = { weights: 0, workspace: 0, uniforms: 0, constants: 0, inputs: 0, readback: 0, peak: 0 };
    this.show(nothing, undefined);
  }

  /** @param measured undefined before the first decision. */
  show(planned: PlanBytes, measured: MemoryReport | undefined): void {
    const { categories, total } = compareMemory(planned, measured);
    this.#bar.replaceChildren(
      ...categories
        .filter(({ plannedBytes }) => plannedBytes > 0)
        .map(({ plannedBytes }, i) => {
          const part = make('span');
          part.style.flexGrow = String(plannedBytes);
          part.style.background = colorOf(i);
          return part;
        }),
    );
    this.#rows.replaceChildren(
      ...categories.map((compared, i) => rowOf(compared, colorOf(i))),
      rowOf(total, undefined),
    );
    this.#showState(total, [...categories, total]);
  }

  #showState(total: ComparedBytes, all: readonly ComparedBytes[]): void {
    const isMeasured = total.measuredBytes !== undefined;
    const agrees = all.every(({ plannedBytes, measuredBytes }) => plannedBytes === measuredBytes);
    this.#state.className = !isMeasured ? 'quiet' : agrees ? 'quiet agree' : 'quiet differ';
    if (total.plannedBytes === 0) this.#state.textContent = 'planned before the run';
    else if (!isMeasured)
      this.#state.textContent = `${formatBytes(total.plannedBytes)} planned before the run`;
    else if (agrees)
      this.#state.textContent = `${formatBytes(total.plannedBytes)}: planned = measured, to the byte`;
    else this.#state.textContent = 'planned and measured differ';
  }
}

function rowOf({ name, plannedBytes, measuredBytes }: ComparedBytes, color: string | undefined): HTMLElement {
  const label = make('th', '', name);
  label.scope = 'row';
  if (color !== undefined) {
    const swatch = make('span', 'swatch');
    swatch.style.background = color;
    label.prepend(swatch);
  }
  const isEqual = plannedBytes === measuredBytes;
  const mark =
    measuredBytes === undefined ? make('td') : make('td', isEqual ? 'equal' : 'unequal', isEqual ? '=' : '≠');
  const planned = make(
    'td',
    '',
    plannedBytes === 0 && measuredBytes === undefined ? '–' : formatInteger(plannedBytes),
  );
  const measured = make('td', '', measuredBytes === undefined ? '–' : formatInteger(measuredBytes));
  return make('tr', color === undefined ? 'total' : '', label, planned, measured, mark);
}

/** Colours of the pieces' minerals, those that stand apart best. */
function colorOf(category: number): string {
  return mineralColor([0, 6, 8, 3, 4, 2][category] ?? 0);
}
