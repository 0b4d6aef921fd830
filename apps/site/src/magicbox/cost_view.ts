import { CallTimes } from '../call_times.ts';
import { htmlById } from '../dom.ts';
import { formatBytes, formatMs } from '../format.ts';
import { describeBackend } from '../panels/adapter_panel.ts';
import type { Reading, ReaderInfo } from './reader_protocol.ts';

/** What reading takes: time of the calls, the first apart from the later ones, and bytes. */
export class CostView {
  readonly #root = htmlById('magicbox-cost');
  readonly #times = new CallTimes();

  /** A model is there that has read nothing yet. */
  showLoaded(info: ReaderInfo): void {
    this.clear();
    this.#root.hidden = false;
    for (const name of ['weights', 'workspace', 'peak']) htmlById(`magicbox-${name}`).textContent = '–';
    htmlById('magicbox-files').textContent = formatBytes(info.checkpointBytes);
    htmlById('magicbox-backend').textContent = describeBackend(info).name;
  }

  /** The model is gone, and its figures with it. */
  clear(): void {
    this.#root.hidden = true;
    this.#times.clear();
    this.#showTimes();
  }

  add({ durationMs, memory }: Reading): void {
    this.#times.add(durationMs);
    this.#showTimes();
    const { weights, workspace } = memory.categories;
    htmlById('magicbox-weights').textContent = formatBytes(weights.currentBytes);
    htmlById('magicbox-workspace').textContent = formatBytes(workspace.peakBytes);
    htmlById('magicbox-peak').textContent = formatBytes(memory.peakBytes);
  }

  #showTimes(): void {
    const { firstMs, lastMs, laterMedianMs, count } = this.#times;
    const texts = { first: firstMs, last: lastMs, median: laterMedianMs };
    for (const [name, durationMs] of Object.entries(texts))
      htmlById(`magicbox-${name}`).textContent = durationMs === undefined ? '–' : formatMs(durationMs);
    htmlById('magicbox-count').textContent = String(count);
  }
}
