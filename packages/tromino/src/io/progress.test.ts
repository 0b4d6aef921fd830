import { describe, expect, it } from 'vitest';
import { ProgressTracker } from './progress.ts';
import type { LoadProgress } from './progress.ts';

function track(steps: (tracker: ProgressTracker) => void): LoadProgress[] {
  const reports: LoadProgress[] = [];
  steps(new ProgressTracker((progress) => reports.push(progress)));
  return reports;
}

describe('ProgressTracker', () => {
  it('goes through the phases and ends at exactly 1', () => {
    const reports = track((tracker) => {
      tracker.enter('files');
      tracker.enter('weights', 30);
      tracker.add(10);
      tracker.add(20);
      tracker.enter('pipelines');
      tracker.finish();
    });
    expect(reports).toEqual([
      { phase: 'files', loadedBytes: 0, totalBytes: undefined, fraction: undefined },
      { phase: 'weights', loadedBytes: 0, totalBytes: 30, fraction: 0 },
      { phase: 'weights', loadedBytes: 10, totalBytes: 30, fraction: 1 / 3 },
      { phase: 'weights', loadedBytes: 30, totalBytes: 30, fraction: 1 },
      { phase: 'pipelines', loadedBytes: 30, totalBytes: 30, fraction: 1 },
      { phase: 'ready', loadedBytes: 30, totalBytes: 30, fraction: 1 },
    ]);
  });

  it('states an unknown total as unknown until the end', () => {
    const reports = track((tracker) => {
      tracker.enter('weights');
      tracker.add(5);
      tracker.finish();
    });
    expect(reports.map((report) => [report.totalBytes, report.fraction])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [5, 1],
    ]);
  });

  it('never passes 1 when more arrives than was announced', () => {
    const reports = track((tracker) => {
      tracker.enter('weights', 10);
      tracker.add(25);
    });
    expect(reports.at(-1)).toEqual({ phase: 'weights', loadedBytes: 25, totalBytes: 25, fraction: 1 });
  });

  it('never goes back when the total turns out larger', () => {
    const reports = track((tracker) => {
      tracker.enter('weights', 10);
      tracker.add(5);
      tracker.enter('weights', 100);
      tracker.add(5);
      tracker.add(50);
    });
    expect(reports.map((report) => report.fraction)).toEqual([0, 0.5, 0.5, 0.5, 0.6]);
  });

  it('lets the error of a callback through', () => {
    const tracker = new ProgressTracker(() => {
      throw new Error('of the callback');
    });
    expect(() => {
      tracker.add(1);
    }).toThrow('of the callback');
  });
});
