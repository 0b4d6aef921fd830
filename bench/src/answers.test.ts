import { describe, expect, it } from 'vitest';
import { answerError, bestAnswers, flatAnswers } from './answers.ts';
import type { QuestionLayout } from './suite.ts';

/** Two questions, five tokens, of which the third to the fifth are the text. */
const layout: QuestionLayout = { markers: [0, 1], context: { start: 2, end: 5 }, maxAnswerTokens: 2 };
const scores = [
  ...[1, 2, 9, 9, 0, 3, 2, 0, 0, 8], // the best start is behind the best end but one; from 2 to 4 is too long
  ...[0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
];

describe('bestAnswers', () => {
  it('finds the best span of the text that is short enough, the first of equal ones', () => {
    expect(bestAnswers(scores, layout)).toEqual([
      { start: 3, end: 5, score: 10, noAnswerScore: 3 },
      { start: 2, end: 3, score: 2, noAnswerScore: 0 },
    ]);
  });
});

describe('answerError', () => {
  const expected = { ids: [], scores, layout };
  const right = [3, 5, 10, 3, 2, 3, 2, 0];

  it.each([
    ['the answers themselves', right, 0],
    ['another span of the same score', [3, 5, 10, 3, 4, 5, 2, 0], 0],
    ['a score that is off', [3, 5, 10.5, 3, 2, 3, 2, 0], 0.5],
    ['a no-answer score that is off', [3, 5, 10, 3, 2, 3, 2, -0.25], 0.25],
    ['a worse span with its right score', [2, 3, 3, 3, 2, 3, 2, 0], 7],
    ['a span that is too long', [2, 5, 8, 3, 2, 3, 2, 0], Infinity],
    ['a span outside the text', [1, 2, 18, 3, 2, 3, 2, 0], Infinity],
    ['an empty span', [3, 3, 10, 3, 2, 3, 2, 0], Infinity],
    ['a missing answer', right.slice(4), Infinity],
    ['a NaN', [3, 5, NaN, 3, 2, 3, 2, 0], NaN],
  ])('of %s', (_, values, error) => {
    expect(answerError(values, expected)).toBe(error);
  });

  it('takes what bestAnswers finds', () => {
    expect(flatAnswers(bestAnswers(scores, layout))).toEqual(right);
  });
});
