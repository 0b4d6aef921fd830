import { describe, expect, it } from 'vitest';
import { shapeKey } from './plan_cache.ts';

const shape = { numTokens: 9, numRows: 2, maxRowTokens: 5, numPositions: 5 };

describe('shapeKey', () => {
  it('takes a search that is left out for the default one, so that a prepared plan is the one that is run', () => {
    expect(shapeKey({ ...shape, spanSearch: { topK: 1, maxAnswerTokens: 30 } })).toBe(shapeKey(shape));
  });

  it('takes questions that are left out for one in each row, as the graph does', () => {
    expect(shapeKey({ ...shape, numQuestions: 2, numPairs: 9 })).toBe(shapeKey(shape));
  });

  it('tells searches and outputs apart', () => {
    const others = [
      { ...shape, spanSearch: { topK: 2, maxAnswerTokens: 30 } },
      { ...shape, spanSearch: { topK: 1, maxAnswerTokens: 20 } },
      { ...shape, output: 'logits' },
      { ...shape, numTokens: 10 },
      { ...shape, numQuestions: 3 },
      { ...shape, numPairs: 10 },
    ];
    expect(new Set([shape, ...others].map(shapeKey)).size).toBe(7);
  });
});
