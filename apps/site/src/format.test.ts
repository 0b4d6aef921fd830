import { describe, expect, it } from 'vitest';
import { formatBytes, formatInteger, formatMs, formatProbability, formatScore } from './format.ts';

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [999_499, '999 kB'],
    [999_600, '1.00 MB'],
    [4_778_224, '4.78 MB'],
  ])('writes %i bytes as %s', (sizeBytes, text) => {
    expect(formatBytes(sizeBytes)).toBe(text);
  });

  it.each([
    [4.214, '4.21 ms'],
    [84.26, '84.3 ms'],
    [204.1, '204 ms'],
    [14763.8, '14\u2009764 ms'],
  ])('writes %f ms as %s', (durationMs, text) => {
    expect(formatMs(durationMs)).toBe(text);
  });

  it('groups thousands', () => {
    expect([0, 999, 1000, 6420012].map(formatInteger)).toEqual([
      '0',
      '999',
      '1\u2009000',
      '6\u2009420\u2009012',
    ]);
  });

  it('gives scores their sign', () => {
    expect([2.345, -0.5, 0].map(formatScore)).toEqual(['+2.35', '−0.50', '+0.00']);
  });

  it.each([
    [0, '0.0 %'],
    [1e-9, '<0.1 %'],
    [0.5, '50.0 %'],
    [0.99999, '>99.9 %'],
    [1, '100.0 %'],
  ])('writes probability %d as %s', (probability, text) => {
    expect(formatProbability(probability)).toBe(text);
  });
});
