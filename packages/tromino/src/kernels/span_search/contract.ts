import type { OpContract } from '../op.ts';

/**
 * Sizes of a search for answers. `topK` spans of at most `maxAnswerTokens` tokens are found in each row. Rows may share boundaries, so there
 * may be fewer of those than tokens.
 */
export type SpanSearchProblem = Readonly<{
  numTokens: number;
  numBoundaries: number;
  numRows: number;
  topK: number;
  maxAnswerTokens: number;
}>;

/**
 * What a row of `contexts` holds: the tokens from `start` up to `end` are searched, `first` is the row's own first token, and
 * `firstBoundary` that token's place among the boundaries.
 */
export const contextFields = { start: 0, end: 1, first: 2, firstBoundary: 3, count: 4 } as const;

/**
 * What a token of `boundaries` holds, counted in tokens from its row's first: where a span that starts with it begins, and, one further, where
 * one that ends with it ends. Tokens that mean the same place, as two halves of a character, hold the same; a token that means nothing, as
 * white space does, holds the next begin and the last end.
 */
export const boundaryFields = { start: 0, end: 1, count: 2 } as const;

/** What a row of the output begins with, and what each span is behind that. */
export const spanFields = {
  noAnswer: 0,
  nonFinitePlace: 1,
  nonFinite: 2,
  header: 3,
  score: 0,
  start: 1,
  end: 2,
  count: 3,
} as const;

/** Numbers that the search gives for each row. */
export function spanRowLength(topK: number): number {
  return spanFields.header + topK * spanFields.count;
}

/**
 * Finds the best spans of each row: the tokens from s to e, both included, with s <= e < s + maxAnswerTokens, within the row's context. A span
 * is where its tokens' boundaries are; spans between the same boundaries are one, with the highest of their scores, and between boundaries
 * that hold no token between them there is none.
 *
 * **Shapes** logits[numTokens, 2] (start, end), contexts u32[numRows, 4] (see {@link contextFields}), boundaries u32[numBoundaries, 2] (see
 * {@link boundaryFields}) → out[numRows, 3 + 3 topK]: the score of
 * no answer, which is start + end of the row's first token; one more than the place of the first logit that is not finite, counted from
 * there, or 0; that logit, or 0; then for each span its score, its first and its last token, counted from the row's first. Where there are fewer spans than
 * asked for, the rest are 0, -1, -1.
 *
 * **Numerics** score = start + end, rounded once to f32. Spans are in falling order of their scores; of equal ones the first has the lower
 * start, then the lower end. A sum that is not finite is no candidate. Exact, but that subnormal sums may be flushed to 0.
 */
export const spanSearchContract: OpContract<SpanSearchProblem> = {
  op: 'span_search',
  operands: [
    { name: 'logits', role: 'input', dtype: 'f32' },
    { name: 'contexts', role: 'input', dtype: 'u32' },
    { name: 'boundaries', role: 'input', dtype: 'u32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [
    { name: 'num_rows', type: 'u32' },
    { name: 'top_k', type: 'u32' },
    { name: 'max_answer_tokens', type: 'u32' },
  ],
  tolerance: { absolute: 0, relative: 0 },
  paramValues: (p) => [p.numRows, p.topK, p.maxAnswerTokens],
  operandLengths: (p) => ({
    logits: p.numTokens * 2,
    contexts: p.numRows * contextFields.count,
    boundaries: p.numBoundaries * boundaryFields.count,
    out: p.numRows * spanRowLength(p.topK),
  }),
};
