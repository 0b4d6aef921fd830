import { describe, expect, it } from 'vitest';
import { formatTimings, formatTraces } from './trace.ts';

describe('formatTraces', () => {
  it('gives bits, range and kernel of each step, and says where values are not finite', () => {
    const step = { op: 'add', variant: 'add_f32', numValues: 12, bits: '00ff00ff00ff00ff' };
    const text = formatTraces([
      { ...step, label: 'model.layers.0', least: -1.5, greatest: 2.25, numNotFinite: 0 },
      { ...step, label: 'model.layers.1', least: 0, greatest: 1, numNotFinite: 3 },
    ]);
    expect(text.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['bits', 'range', 'values', 'kernel', 'step'],
      ['00ff00ff00ff00ff', '-1.500 … 2.250', '12', 'add_f32', 'model.layers.0'],
      ['00ff00ff00ff00ff', '3 not finite', '12', 'add_f32', 'model.layers.1'],
      ['2 steps'],
    ]);
  });
});

describe('formatTimings', () => {
  it('sums each kernel, longest first, and states resolution and discarded spans', () => {
    const text = formatTimings({
      steps: [
        { label: 'a', op: 'add', variant: 'add_f32', numWorkgroups: 2, durationNs: 1500 },
        { label: 'b', op: 'matmul', variant: 'matmul_x', numWorkgroups: 9, durationNs: 4000 },
        { label: 'c', op: 'add', variant: 'add_f32', numWorkgroups: 2, durationNs: undefined },
      ],
      repeats: 20,
      resolutionNs: 65_536,
      totalNs: 9000,
      discardedSpans: 1,
    });
    expect(text.split('\n').map((line) => line.trim().split(/\s{2,}/))).toEqual([
      ['µs', 'workgroups', 'kernel', 'step'],
      ['1.5', '2', 'add_f32', 'a'],
      ['4.0', '9', 'matmul_x', 'b'],
      ['too short', '2', 'add_f32', 'c'],
      ['µs', 'steps', 'kernel'],
      ['4.0', '1', 'matmul_x'],
      ['1.5', '2', 'add_f32'],
      ["9.0 µs from the first step to the last, mean of 20 repeats; the clock's steps are 65.5 µs"],
      ['1 impossible spans were thrown away'],
    ]);
  });
});
