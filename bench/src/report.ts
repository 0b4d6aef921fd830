import type { CallPhases } from './phases.ts';
import type { Environment, Row } from './result.ts';
import { summariseCalls, type CallTimes } from './statistics.ts';

/** The rows of one page, which ran in one browser from its start. Times are comparable within it and nowhere else. */
export interface PageResult {
  readonly page: string;
  readonly environment: Environment | undefined;
  readonly rows: readonly Row[];
  /** Why the page did not come to its end. */
  readonly error?: string | undefined;
}

interface ResultLine {
  readonly page: string;
  readonly error?: string;
  readonly environment?: Environment;
  readonly row?: Row;
}

/**
 * Reads results: a line of JSON for each environment, each row and each page that failed, `{"page", "environment"}`, `{"page", "row"}` or
 * `{"page", "error"}`.
 * @throws SyntaxError for a line that is not JSON.
 */
export function parseResults(text: string): readonly PageResult[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map((line) => JSON.parse(line) as ResultLine);
  return [...new Set(parsed.map(({ page }) => page))].map((page) => {
    const ofPage = parsed.filter((line) => line.page === page);
    return {
      page,
      environment: ofPage.find(({ environment }) => environment)?.environment,
      rows: ofPage.flatMap(({ row }) => row ?? []),
      error: ofPage.find(({ error }) => error !== undefined)?.error,
    };
  });
}

/** All pages as Markdown: for each its surroundings, its times, engines side by side, phases and loads. */
export function formatResults(pages: readonly PageResult[]): string {
  return pages.map(formatPage).join('\n');
}

function formatPage({ page, environment, rows, error: failure }: PageResult): string {
  const sections = [
    `## ${page}\n\n${environment ? describeEnvironment(environment) : 'The page said nothing of its surroundings.'}`,
    callTable(rows),
    comparisonTable(rows),
    phaseTable(rows),
    profileTable(rows),
    loadTable(rows),
    ...rows.flatMap(({ place, error }) => (error === undefined ? [] : [`Section ${place} failed: ${error}`])),
    failure === undefined ? '' : `The page failed: ${failure}`,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function describeEnvironment(environment: Environment): string {
  const { adapter, isSoftware, browser, crossOriginIsolated, timerResolutionMs } = environment;
  const name = [adapter.vendor, adapter.architecture, adapter.device, adapter.description];
  return [
    `${name.filter((part) => part !== '').join(' ')}${isSoftware ? ' (software: times not reported)' : ''}`,
    browser,
    crossOriginIsolated ? 'cross-origin isolated' : 'not cross-origin isolated',
    `clock steps of ${(timerResolutionMs * 1000).toFixed(0)} µs`,
  ].join(' · ');
}

function callTable(rows: readonly Row[]): string {
  const cells = rows
    .filter(({ maxError }) => maxError !== undefined)
    .map((row) => [
      String(row.place),
      row.model,
      engineCell(row),
      row.input ?? '',
      ...timeCells(row),
      `${format(row.maxError)} of ${format(row.largestScore)}`,
      bitsCell(row),
    ]);
  return table(['#', 'model', 'engine', 'from', ...timeNames, 'largest error', 'bits'], cells);
}

function engineCell({ engine, file, section }: Row): string {
  return [engine, ...(file === undefined ? [] : [`\`${file}\``]), section].join(', ');
}

const timeNames = ['first call', 'calls 2–5', 'last three of 5', 'mean of 5', 'steady median (p10–p90)'];

function timeCells(row: Row): readonly string[] {
  const times = timesOf(row);
  if (times === undefined) return timeNames.map(() => (isRight(row) ? '–' : 'wrong scores'));
  const { firstMs, calls2To5Ms, last3Of5Ms, mean5Ms, steady } = times;
  const spread = `${format(steady.medianMs)} (${format(steady.p10Ms)}–${format(steady.p90Ms)})`;
  return [...[firstMs, calls2To5Ms, last3Of5Ms, mean5Ms].map(format), spread];
}

/** Largest error that a right f32 implementation may have, as a share of the largest score. */
const floatTolerance = 1e-3;

/** Fast and wrong is not fast: rows without the expected scores get no times. */
function isRight({ maxError, largestScore, tolerance = floatTolerance }: Row): boolean {
  return maxError !== undefined && maxError <= tolerance * Math.max(1, largestScore ?? 0);
}

function timesOf(row: Row): CallTimes | undefined {
  return row.callsMs && isRight(row) ? summariseCalls(row.callsMs) : undefined;
}

function bitsCell({ sameBitsEachCall, sameBitsAsFirst }: Row): string {
  if (sameBitsEachCall === false) return 'differ from call to call';
  if (sameBitsAsFirst === undefined) return 'same each call';
  return sameBitsAsFirst ? 'same as the first section' : 'DIFFER from the first section';
}

/** Each section of another engine beside the nearest default section of Tromino before it, else behind it, in the same page. */
function comparisonTable(rows: readonly Row[]): string {
  const cells = rows
    .filter(({ engine }) => engine !== 'Tromino')
    .flatMap((row) => {
      const times = timesOf(row);
      const partner = times && partnerOf(row, rows);
      const partnerTimes = partner && timesOf(partner);
      if (!times || !partnerTimes) return [];
      const pairs = keyTimes(times).map((time, index) => ratio(time, keyTimes(partnerTimes)[index] ?? NaN));
      return [[row.model, `${row.engine} (${row.place}) / Tromino (${partner.place})`, ...pairs]];
    });
  return table(
    [
      'model',
      'time of / time of',
      'first call',
      'calls 2–5',
      'last three of 5',
      'mean of 5',
      'steady median',
    ],
    cells,
  );
}

function partnerOf(row: Row, rows: readonly Row[]): Row | undefined {
  const candidates = rows.filter(
    ({ engine, section, model }) => engine === 'Tromino' && section === 'default' && model === row.model,
  );
  return candidates.findLast(({ place }) => place < row.place) ?? candidates[0];
}

function keyTimes({ firstMs, calls2To5Ms, last3Of5Ms, mean5Ms, steady }: CallTimes): readonly number[] {
  return [firstMs, calls2To5Ms, last3Of5Ms, mean5Ms, steady.medianMs];
}

function ratio(time: number, other: number): string {
  return `${format(time)} / ${format(other)} = ${(time / other).toFixed(2)}`;
}

const phaseNames: readonly (readonly [keyof CallPhases, string])[] = [
  ['beforeEncodeMs', 'before encoding'],
  ['encodeAndSubmitMs', 'encode and submit'],
  ['fenceMs', 'until the fence'],
  ['afterFenceMs', 'after the fence'],
];

function phaseTable(rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => {
    const { phases, counts } = row;
    if (!phases || !counts) return [];
    const name = [row.model, `${row.engine}, ${row.section}`];
    return (['first', 'steady'] as const).map((which) => [
      ...name,
      which,
      ...phaseNames.map(([phase]) => format(phases[which][phase])),
      formatCounts(counts[which]),
    ]);
  });
  return table(['model', 'engine', 'call', ...phaseNames.map(([, name]) => name), 'WebGPU calls'], cells);
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function profileTable(rows: readonly Row[]): string {
  const cells = rows.flatMap(({ model, section, profile }) => {
    if (!profile) return [];
    const { byVariant, totalMs, resolutionMs, repeats, discardedSpans } = profile;
    const bySum = Object.entries(byVariant).toSorted(([, a], [, b]) => b.sumMs - a.sumMs);
    const clock = `${repeats} repeats, clock steps of ${format(resolutionMs)}, ${discardedSpans} spans discarded`;
    return [
      ...bySum.map(([variant, { steps, sumMs }]) => [
        model,
        section,
        variant,
        String(steps),
        format(sumMs),
        '',
      ]),
      [model, section, 'first step to last', '', format(totalMs), clock],
    ];
  });
  return table(['model', 'section', 'kernel', 'steps', 'on the device', 'measured with'], cells);
}

function loadTable(rows: readonly Row[]): string {
  const cells = rows.flatMap(({ place, model, engine, section, loadMs, planBuildMs, memory }) => {
    if (!loadMs && !memory) return [];
    const phases = Object.entries(loadMs?.byPhaseMs ?? {});
    return [
      [
        String(place),
        model,
        `${engine}, ${section}`,
        format(loadMs?.totalMs),
        phases.map(([phase, duration]) => `${phase} ${format(duration)}`).join(', ') || '–',
        format(loadMs?.prepareMs),
        format(planBuildMs),
        format(memory && memory.peakBytes / 2 ** 20),
      ],
    ];
  });
  return table(
    ['#', 'model', 'engine', 'load', 'of it', 'prepare', 'plan built again', 'MiB on the device at most'],
    cells,
  );
}

/** Three significant digits; times in milliseconds. */
function format(value: number | undefined): string {
  if (value === undefined) return '–';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
