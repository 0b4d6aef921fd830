import { describe, expect, it } from 'vitest';
import { describeFinding, findingOf } from './finding.ts';

const extraction = (score: number, noAnswerScore: number): Parameters<typeof findingOf>[0] => ({
  question: 'who?',
  answers: [{ text: 'Ana', start: 5, end: 8, score }],
  noAnswerScore,
});
const words = (score: number, noAnswerScore: number): string =>
  describeFinding(findingOf(extraction(score, noAnswerScore)), (margin) => margin.toFixed(1));

describe('findingOf', () => {
  it('takes the span where it scores higher than none', () => {
    expect(findingOf(extraction(4.5, -1))).toEqual({
      best: { text: 'Ana', start: 5, end: 8 },
      margin: 5.5,
      isStated: true,
    });
  });

  it('says not stated where none scores as high or higher', () => {
    expect(findingOf(extraction(2, 2)).isStated).toBe(false);
    expect(findingOf(extraction(2, 3)).isStated).toBe(false);
  });

  it('says not stated where there is no span', () => {
    const nothing = findingOf({ question: 'who?', answers: [], noAnswerScore: Infinity });
    expect(nothing).toEqual({ best: undefined, margin: -Infinity, isStated: false });
    expect(describeFinding(nothing, String)).toBe('there are no words to choose from');
  });
});

describe('describeFinding', () => {
  it.each([
    [15, 1, 'clear: 14.0 above “not stated”'],
    [9, 1, 'fair: 8.0 above “not stated”'],
    [6.5, 1, 'narrow: 5.5 above “not stated”'],
    [1.5, 1, 'narrow: 0.5 above “not stated”'],
    [1, 1.5, 'narrow: “Ana” is 0.5 below'],
    [-3.5, 2, 'narrow: “Ana” is 5.5 below'],
    [-4, 2, 'fair: the best words are 6.0 below'],
    [-14, 2, 'clear: the best words are 16.0 below'],
  ])('of scores %d and %d says %j', (score, noAnswerScore, text) => {
    expect(words(score, noAnswerScore)).toBe(text);
  });
});
