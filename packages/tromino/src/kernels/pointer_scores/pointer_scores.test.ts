import { expect, it } from 'vitest';
import { pointerScoresReference } from './reference.ts';

it('scores each question with the tokens of its own row, starts beside ends', () => {
  // Three tokens of vectors of one element: start's question, end's question, start, end. The last two are a row with two questions.
  const projected = Float32Array.of(2, 3, 5, 7, -1, 4, 10, 0.5, 6, 1, -3, 20);
  const questions = Uint32Array.of(0, 0, 1, 4, 1, 1, 2, 0, 2, 1, 2, 2);
  const out = new Float32Array(10).fill(NaN);
  pointerScoresReference(
    { numTokens: 3, numQuestions: 3, numPairs: 5, maxRowTokens: 2, width: 1 },
    { projected, questions, out },
  );
  expect([...out]).toEqual([-10, 2, 3, 80, 60, 0.5, -18, 20, 10, 21]);
});

it('divides by the root of the width', () => {
  const projected = Float32Array.of(1, 2, 3, 4, 0, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 8);
  const out = new Float32Array(2).fill(NaN);
  pointerScoresReference(
    { numTokens: 1, numQuestions: 1, numPairs: 1, maxRowTokens: 1, width: 4 },
    { projected, questions: Uint32Array.of(0, 0, 1, 0), out },
  );
  expect([...out]).toEqual([10, 0]);
});
