import { describe, expect, it } from 'vitest';
import { formatResults, parseResults } from './report.ts';
import type { Environment, Row } from './result.ts';

const environment: Environment = {
  adapter: { vendor: 'acme', architecture: 'a1', device: '', description: 'Acme One' },
  isSoftware: false,
  browser: 'Chromium 156.0.1.2',
  crossOriginIsolated: true,
  timerResolutionMs: 0.005,
  features: [],
  limits: {},
};

/** Thirty calls: a first one, four of `early`, five that no figure shows, twenty of `steady`. */
function calls(first: number, early: number, steady: number): number[] {
  return [
    first,
    ...Array<number>(4).fill(early),
    ...Array<number>(5).fill(777),
    ...Array<number>(20).fill(steady),
  ];
}

/** A section's scores without its times. */
const scored: Row = {
  model: 'cls',
  engine: 'Tromino',
  section: 'default',
  earlierSections: 0,
  place: 1,
  input: 'ids',
  numTokens: 346,
  maxError: 2e-6,
  largestScore: 1.5,
  sameBitsEachCall: true,
  sameBitsAsFirst: true,
};
const row: Row = { ...scored, callsMs: calls(300, 50, 20) };
const ortRow: Row = {
  model: 'cls',
  engine: 'ONNX Runtime Web',
  section: 'default',
  earlierSections: 0,
  place: 2,
  input: 'ids',
  maxError: 1e-6,
  largestScore: 1.5,
  sameBitsEachCall: true,
  callsMs: calls(600, 60, 30),
};

function format(...rows: readonly Row[]): string {
  return formatResults([{ page: 'page', environment, rows }]);
}

describe('formatResults', () => {
  it('names the surroundings and puts first call, calls 2 to 5, last three, mean and steady median in a row', () => {
    expect(format(row)).toBe(
      [
        '## page',
        '',
        'acme a1 Acme One · Chromium 156.0.1.2 · cross-origin isolated · clock steps of 5 µs',
        '',
        '| # | model | engine | from | first call | calls 2–5 | last three of 5 | mean of 5 | steady median (p10–p90) | largest error | bits |',
        '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
        '| 1 | cls | Tromino, default | ids | 300 | 50.0 | 50.0 | 100 | 20.0 (20.0–20.0) | 0.00000200 of 1.50 | same as the first section |',
        '',
      ].join('\n'),
    );
  });

  it('forms ratios with the nearest default section of Tromino in the same page', () => {
    const later = { ...row, place: 3, callsMs: calls(400, 40, 10) };
    const forced = { ...row, place: 4, section: 'matmul: tile', callsMs: calls(1, 1, 1) };
    const report = format(row, ortRow, later, forced, { ...ortRow, place: 5 });
    expect(report).toContain(
      '| cls | ONNX Runtime Web (2) / Tromino (1) | 600 / 300 = 2.00 | 60.0 / 50.0 = 1.20 | 60.0 / 50.0 = 1.20 | 168 / 100 = 1.68 | 30.0 / 20.0 = 1.50 |',
    );
    expect(report).toContain('| cls | ONNX Runtime Web (5) / Tromino (3) | 600 / 400 = 1.50 |');
  });

  it('compares with the section behind it where the other engine went first', () => {
    expect(format({ ...ortRow, place: 1 }, { ...row, place: 2 })).toContain(
      'ONNX Runtime Web (1) / Tromino (2)',
    );
  });

  it('forms no ratio across models', () => {
    expect(format(row, { ...ortRow, model: 'other' })).not.toContain(' / Tromino');
  });

  it.each([0.01, NaN, Infinity])('gives a row with an error of %d no times and no ratio', (maxError) => {
    const report = format(row, { ...ortRow, maxError });
    expect(report).toContain('| 2 | cls | ONNX Runtime Web, default | ids | wrong scores | wrong scores |');
    expect(report).not.toContain(' / Tromino');
  });

  it('names the file that another engine ran, and measures a row by the tolerance that it states', () => {
    const rounded = { ...ortRow, file: 'cls-q4.onnx', maxError: 0.03, tolerance: 0.03 };
    expect(format(rounded)).toContain(
      '| 2 | cls | ONNX Runtime Web, `cls-q4.onnx`, default | ids | 600 | 60.0 |',
    );
    expect(format({ ...rounded, maxError: 0.05 })).toContain('wrong scores');
  });

  it('says of a software adapter that its times are not reported', () => {
    const rows = [{ ...scored, untimed: 'software adapter: times not reported' }];
    const report = formatResults([{ page: 'page', environment: { ...environment, isSoftware: true }, rows }]);
    expect(report).toContain('Acme One (software: times not reported) · ');
    expect(report).toContain('| ids | – | – | – | – | – | 0.00000200 of 1.50 |');
  });

  it('shouts when bits differ', () => {
    expect(format({ ...row, sameBitsAsFirst: false })).toContain('| DIFFER from the first section |');
    expect(format({ ...row, sameBitsEachCall: false })).toContain('| differ from call to call |');
  });

  it('lists what failed', () => {
    const failed: Row = { ...ortRow, place: 7, error: 'Error: no adapter' };
    expect(format(failed)).toContain('Section 7 failed: Error: no adapter');
  });

  it('says why a page has no rows', () => {
    const pages = parseResults('{"page":"pair-x","error":"exit 1: failed: Timeout 75000ms exceeded."}\n');
    expect(formatResults(pages)).toContain('The page failed: exit 1: failed: Timeout 75000ms exceeded.');
  });

  it('takes first and steady calls apart', () => {
    const first = { beforeEncodeMs: 250, encodeAndSubmitMs: 1, fenceMs: 30, afterFenceMs: 0.5 };
    const report = format({
      ...scored,
      phases: { first, steady: { ...first, beforeEncodeMs: 0.25 } },
      counts: { first: { submit: 1, dispatchWorkgroups: 300 }, steady: { submit: 1 } },
    });
    expect(report).toContain('| first | 250 | 1.00 | 30.0 | 0.500 | submit 1, dispatchWorkgroups 300 |');
    expect(report).toContain('| steady | 0.250 | 1.00 | 30.0 | 0.500 | submit 1 |');
  });

  it('sorts a profile by what takes longest', () => {
    const byVariant = { rms_norm: { steps: 61, sumMs: 0.5 }, matmul_tile: { steps: 120, sumMs: 12.25 } };
    const profile = { totalMs: 15, resolutionMs: 0.001, repeats: 50, discardedSpans: 2, byVariant };
    expect(format({ ...scored, profile })).toContain(
      [
        '| cls | default | matmul_tile | 120 | 12.3 |  |',
        '| cls | default | rms_norm | 61 | 0.500 |  |',
        '| cls | default | first step to last |  | 15.0 | 50 repeats, clock steps of 0.00100, 2 spans discarded |',
      ].join('\n'),
    );
  });

  it('shows loads by phase, and the memory that the engine held', () => {
    const loadMs = { totalMs: 2500, byPhaseMs: { files: 12.34, weights: 2480 }, prepareMs: 210 };
    const memory = { currentBytes: 1, peakBytes: 3 << 20 };
    expect(format({ ...row, loadMs, planBuildMs: 0.75, memory })).toContain(
      '| 1 | cls | Tromino, default | 2500 | files 12.3, weights 2480 | 210 | 0.750 | 3.00 |',
    );
  });

  it('shows memory also where times are not reported', () => {
    const memory = { currentBytes: 1, peakBytes: 3 << 20 };
    expect(format({ ...scored, memory, untimed: 'software adapter: times not reported' })).toContain(
      '| 1 | cls | Tromino, default | – | – | – | – | 3.00 |',
    );
  });
});

describe('parseResults', () => {
  it('sorts lines by page, in the order in which pages appear', () => {
    const lines = [
      { page: 'b', environment },
      { page: 'b', row },
      { page: 'a', row: ortRow },
      { page: 'b', row: ortRow },
    ];
    expect(parseResults(lines.map((line) => JSON.stringify(line)).join('\n') + '\n')).toEqual([
      { page: 'b', environment, rows: [row, ortRow] },
      { page: 'a', environment: undefined, rows: [ortRow] },
    ]);
  });
});
