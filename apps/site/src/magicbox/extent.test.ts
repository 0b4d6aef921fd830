import { describe, expect, it } from 'vitest';
import { describeExtent, extentOf } from './extent.ts';

const rows = (...questions: number[][]): { questions: number[] }[] =>
  questions.map((row) => ({ questions: row }));

describe('extentOf', () => {
  it('counts rows, and the windows of those questions that leave the text least room', () => {
    expect(extentOf(rows([0, 1], [0, 1], [0, 1], [2], [2]))).toEqual({ numWindows: 3, numRows: 5 });
    expect(extentOf(rows([0, 1], [2]))).toEqual({ numWindows: 1, numRows: 2 });
    expect(extentOf([])).toEqual({ numWindows: 0, numRows: 0 });
  });
});

describe('describeExtent', () => {
  it('says how much there is to read of a long text only', () => {
    expect(describeExtent({ numWindows: 12, numRows: 24 })).toBe(
      'reading a long text in 12 windows: 24 rows with the questions',
    );
    expect(describeExtent({ numWindows: 1, numRows: 2 })).toBeUndefined();
  });
});
