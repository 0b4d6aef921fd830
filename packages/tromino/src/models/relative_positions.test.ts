import { describe, expect, it } from 'vitest';
import { biasBuckets, disentangledBuckets } from './relative_positions.ts';

// Literals are what transformers' functions gave.
describe('biasBuckets', () => {
  it('gives keys ahead of the query the upper half, and far ones shared buckets', () => {
    const buckets = biasBuckets(129);
    const pairs = [0, 1, 7, 8, 15, 16, 63, 64, 91, 128].map((n) => [buckets[128 + n], buckets[128 - n]]);
    expect(pairs).toEqual([
      [0, 0],
      [1, 17],
      [7, 23],
      [8, 24],
      [9, 25],
      [10, 26],
      [13, 29],
      [14, 30],
      [15, 31],
      [15, 31],
    ]);
  });
});

describe('disentangledBuckets', () => {
  const rowsOf = (numPositions: number, maxDistance?: number): (number | undefined)[] => {
    const { buckets, rows } = disentangledBuckets(numPositions, { span: 32, maxDistance });
    return buckets.map((bucket) => rows[bucket]);
  };

  it('shares buckets by the logarithm beyond half the span', () => {
    const found = rowsOf(301, 160);
    const pairs = [0, 1, 15, 16, 17, 20, 31, 60, 100, 159, 300].map((n) => [found[300 + n], found[300 - n]]);
    expect(pairs).toEqual([
      [32, 32],
      [33, 31],
      [47, 17],
      [48, 16],
      [49, 15],
      [50, 14],
      [53, 11],
      [57, 7],
      [60, 4],
      [63, 1],
      [63, 0],
    ]);
  });

  it('needs few rows of the table for a short row', () => {
    expect(disentangledBuckets(2, { span: 32, maxDistance: 160 })).toEqual({ buckets: [0, 1, 2], rows: [31, 32, 33] });
  });

  it('gives each distance a row of its own without buckets, up to the table’s ends', () => {
    expect(rowsOf(3)).toEqual([30, 31, 32, 33, 34]);
    expect(rowsOf(40).slice(0, 9)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });
});
