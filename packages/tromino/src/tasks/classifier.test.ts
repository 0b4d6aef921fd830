import { describe, expect, it } from 'vitest';
import { toProbabilities } from './classifier.ts';

const rounded = (values: Float32Array): number[] => [...values].map((value) => Number(value.toFixed(4)));

describe('toProbabilities', () => {
  it('is a softmax for one label of several', () => {
    expect(rounded(toProbabilities(Float32Array.of(2, 2, -5), 'softmax'))).toEqual([0.4998, 0.4998, 0.0005]);
  });

  it('is one sigmoid each for several labels at once, and for a single label', () => {
    expect(rounded(toProbabilities(Float32Array.of(2, 2, -5), 'sigmoid'))).toEqual([0.8808, 0.8808, 0.0067]);
    expect(rounded(toProbabilities(Float32Array.of(0.3), 'sigmoid'))).toEqual([0.5744]);
  });

  it('stays finite for scores whose exponentials are not', () => {
    expect(rounded(toProbabilities(Float32Array.of(1000, 0), 'softmax'))).toEqual([1, 0]);
  });

  it('passes a regression on as it is', () => {
    expect([...toProbabilities(Float32Array.of(4.5), 'none')]).toEqual([4.5]);
  });
});
