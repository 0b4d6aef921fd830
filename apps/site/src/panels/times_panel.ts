import { CallTimes } from '../call_times.ts';
import { byId, htmlById } from '../dom.ts';
import { formatMs } from '../format.ts';

/** Calls that the chart shows. */
const numBars = 60;
const chartWidth = 480;
const chartHeight = 96;
const svgNamespace = 'http://www.w3.org/2000/svg';

/** Time per decision: the first call apart from the later ones, and the latest calls as bars. */
export class TimesPanel {
  readonly #times = new CallTimes();
  readonly #chart = byId('time-chart', SVGSVGElement);

  /** Median of all calls but the first. */
  get laterMedianMs(): number | undefined {
    return this.#times.laterMedianMs;
  }

  /** Starts over: another player makes a first call of its own. */
  clear(): void {
    this.#times.clear();
    this.#show();
  }

  add(durationMs: number): void {
    this.#times.add(durationMs);
    this.#show();
  }

  #show(): void {
    const { count, firstMs, lastMs, laterMedianMs } = this.#times;
    htmlById('time-count').textContent = String(count);
    htmlById('time-first').textContent = textOf(firstMs);
    htmlById('time-last').textContent = textOf(lastMs);
    htmlById('time-median').textContent = textOf(laterMedianMs);
    this.#draw();
  }

  #draw(): void {
    const latest = this.#times.latest(numBars);
    const topMs = Math.max(1e-3, ...latest.map(({ durationMs }) => durationMs));
    const heightOf = (durationMs: number): number => (chartHeight * durationMs) / topMs;
    const pitch = chartWidth / numBars;
    const bars = latest.map(({ call, durationMs }, i) => {
      const height = heightOf(durationMs);
      const position = { x: i * pitch, y: chartHeight - height, width: pitch * 0.72, height };
      return shape('rect', { ...position, class: call === 1 ? 'first' : 'later' });
    });
    const median = this.#times.laterMedianMs;
    const y = median === undefined ? undefined : chartHeight - heightOf(median);
    const line = y === undefined ? [] : [shape('line', { x1: 0, x2: chartWidth, y1: y, y2: y })];
    this.#chart.replaceChildren(...bars, ...line);
    const caption = captionOf(latest.length, topMs, median);
    this.#chart.ariaLabel = caption;
    htmlById('chart-caption').textContent = caption;
  }
}

function textOf(durationMs: number | undefined): string {
  return durationMs === undefined ? '–' : formatMs(durationMs);
}

function captionOf(numShown: number, topMs: number, medianMs: number | undefined): string {
  const rule = 'The first call also compiles; it is never averaged with the rest.';
  if (numShown === 0) return rule;
  const median = medianMs === undefined ? '' : ` Dashed: median of the later ones, ${formatMs(medianMs)}.`;
  return `Last ${numShown} of the calls, tallest bar ${formatMs(topMs)}.${median} ${rule}`;
}

function shape(name: 'rect' | 'line', attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
