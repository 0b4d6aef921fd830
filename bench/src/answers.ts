import type { ExpectedScores, QuestionLayout } from './suite.ts';

/** The best answer to a question, in columns of the row; `end` is not included. */
export interface FoundAnswer {
  readonly start: number;
  readonly end: number;
  readonly score: number;
  readonly noAnswerScore: number;
}

const valuesPerAnswer = 4;

/** Answers as a flat list of numbers, so that runs can be compared bit by bit. */
export function flatAnswers(answers: readonly FoundAnswer[]): readonly number[] {
  return answers.flatMap(({ start, end, score, noAnswerScore }) => [start, end, score, noAnswerScore]);
}

/**
 * Finds the best answer to each question: what a user of an engine without a span search has to do with its scores.
 * @param logits [questions][tokens][2], start and end scores.
 */
export function bestAnswers(
  logits: ArrayLike<number>,
  { markers, context, maxAnswerTokens }: QuestionLayout,
): readonly FoundAnswer[] {
  const numTokens = logits.length / (2 * markers.length);
  return markers.map((_, question) => {
    const row = 2 * question * numTokens;
    const at = (place: number): number => logits[row + place] ?? NaN;
    let best = { start: context.start, end: context.start, score: -Infinity };
    for (let start = context.start; start < context.end; start++) {
      const startScore = at(2 * start);
      const limit = Math.min(context.end, start + maxAnswerTokens);
      for (let end = start; end < limit; end++) {
        const score = startScore + at(2 * end + 1);
        if (score > best.score) best = { start, end: end + 1, score };
      }
    }
    return { ...best, noAnswerScore: at(0) + at(1) };
  });
}

/**
 * How far answers are from those that the expected scores give: the largest error of a stated score, and what is lost by a span that is
 * not the best. Two spans may score almost the same, so it is not their places that are compared.
 * @param values {@link flatAnswers}
 */
export function answerError(values: ArrayLike<number>, { scores, layout }: ExpectedScores): number {
  if (!layout) throw new Error('expected answers: there is no layout');
  const numTokens = scores.length / (2 * layout.markers.length);
  const best = bestAnswers(scores, layout);
  if (values.length !== best.length * valuesPerAnswer) return Infinity;
  const errors = best.flatMap((expected, question) => {
    const at = (field: number): number => values[question * valuesPerAnswer + field] ?? NaN;
    const [start, end] = [at(0), at(1)];
    const { context, maxAnswerTokens } = layout;
    const isSpan = context.start <= start && start < end && end <= context.end;
    if (!isSpan || end - start > maxAnswerTokens) return [Infinity];
    const row = 2 * question * numTokens;
    const score = (scores[row + 2 * start] ?? NaN) + (scores[row + 2 * (end - 1) + 1] ?? NaN);
    return [Math.abs(at(2) - score), expected.score - score, Math.abs(at(3) - expected.noAnswerScore)];
  });
  // A NaN anywhere stays one: Math.max passes it on.
  return Math.max(...errors);
}
