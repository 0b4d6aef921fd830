import { expect, it } from 'vitest';
import type { Answer, Extraction } from 'tromino';
import { compareAnswers, formatAgreement } from './agreement.ts';
import { parseMessages } from './messages.ts';

const answer = (text: string, start: number, score: number): Answer => ({
  text,
  start,
  end: start + text.length,
  score,
});
const extraction = (question: string, answers: readonly Answer[], noAnswerScore: number): Extraction => ({
  question,
  answers,
  noAnswerScore,
});
const when = extraction('when?', [answer('at noon', 4, 9), answer('noon', 7, 8.5)], 2);
const where = extraction('where?', [answer('noon', 7, 3), answer('at noon', 4, 1)], 3.25);

it('counts answers that differ, with the least that had to move', () => {
  const moved = extraction('when?', [answer('noon', 7, 8.875), answer('at noon', 4, 8.75)], 2.5);
  const stated = extraction('where?', [answer('noon', 7, 3.5), answer('at noon', 4, 1)], 3.25);
  expect(compareAnswers([[moved, where], [stated]], [[when, where], [where]])).toEqual({
    messages: 2,
    answers: 3,
    differing: 2,
    largestScoreDifference: 0.5,
    smallestMarginOfDiffering: 0.125,
    smallestMargin: 0.125,
    differences: [
      { message: 0, question: 'when?', found: 'noon', expected: 'at noon', margin: 0.125 },
      { message: 1, question: 'where?', found: 'noon', expected: undefined, margin: 0.25 },
    ],
  });
});

it('finds nothing to say of the same answers but their margin', () => {
  const agreement = compareAnswers([[when, where]], [[when, where]]);
  expect(agreement).toMatchObject({ differing: 0, largestScoreDifference: 0, smallestMargin: 0.25 });
  expect(formatAgreement(agreement)).toBe(
    '1 messages, 2 answers, 0 differing\nlargest difference of scores 0.00, smallest margin of an answer 0.250',
  );
});

it('misses an answer that one side does not have', () => {
  expect(() => compareAnswers([[when]], [[when, where]])).toThrow(
    'message 0, question 1: expected an answer, found none',
  );
});

it('reads messages without their answers', () => {
  const lines = '{"text": "a", "questions": [{"question": "b?", "answers": ["c"]}]}\n\n';
  expect(parseMessages(lines)).toEqual([{ text: 'a', questions: ['b?'] }]);
});
