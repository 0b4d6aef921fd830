import type { OpContract } from '../op.ts';

/** Sizes of the scores of questions with tokens. `width` numbers make up each of a token's four vectors. */
export type PointerScoresProblem = Readonly<{
  numTokens: number;
  numQuestions: number;
  /** Pairs of a question with a token: the lengths of all questions' rows together. */
  numPairs: number;
  maxRowTokens: number;
  width: number;
}>;

/** What a row of `questions` holds: the token that stands for the question, its row's first token and length, and its first pair. */
export const questionFields = { token: 0, rowStart: 1, rowTokens: 2, firstPair: 3, count: 4 } as const;

/** A token's vectors: start and end as the question that it may stand for, start and end as a token. */
export const pointerVectors = 4;

/**
 * Scores each question with each token of its row: how well an answer to it starts there, and ends there.
 *
 * **Shapes** projected[numTokens, 4 width] (a token's vectors as a start's question, an end's question, a start, an end), questions
 * u32[numQuestions, 4] (see {@link questionFields}) → out[numPairs, 2] (start, end), a question's pairs in the order of its row's tokens.
 *
 * **Numerics** `dot(question, token) / √width`: four partial sums from 0, of which the i-th takes the elements i, i + 4, … in order by
 * `sum = fma(q, t, sum)`; then `((s0 + s1) + (s2 + s3)) · scale`, with the scale rounded to f32. The tolerance is as the matmul's.
 */
export const pointerScoresContract: OpContract<PointerScoresProblem> = {
  op: 'pointer_scores',
  operands: [
    { name: 'projected', role: 'input', dtype: 'f32' },
    { name: 'questions', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_questions', type: 'u32' },
    { name: 'max_row_tokens', type: 'u32' },
    { name: 'width', type: 'u32' },
    { name: 'scale', type: 'f32' },
  ],
  tolerance: { absolute: 1e-5, relative: 1e-5 },
  paramValues: (p) => [p.numQuestions, p.maxRowTokens, p.width, pointerScale(p.width)],
  operandLengths: (p) => ({
    projected: p.numTokens * pointerVectors * p.width,
    questions: p.numQuestions * questionFields.count,
    out: p.numPairs * 2,
  }),
};

/** Factor on a product of two vectors of `width` elements. */
export function pointerScale(width: number): number {
  return Math.fround(width ** -0.5);
}
