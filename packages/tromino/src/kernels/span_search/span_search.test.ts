import { expect, it } from 'vitest';
import { spanSearchReference } from './reference.ts';
import { spanRowLength } from './contract.ts';

/** Starts and ends of five tokens, of which the first stands before the context. */
const logits = Float32Array.of(3, 4, 1, 0, 5, 1, 0, 2, 2, 1);

function search(
  topK: number,
  maxAnswerTokens: number,
  context: readonly number[],
  values = logits,
  boundaries = Array.from(values, (_, i) => Math.ceil(i / 2)),
): number[] {
  const out = new Float32Array(spanRowLength(topK)).fill(NaN);
  const numTokens = values.length / 2;
  const problem = { numTokens, numRows: 1, numBoundaries: numTokens, topK, maxAnswerTokens };
  spanSearchReference(problem, {
    logits: values,
    contexts: Uint32Array.from(context),
    boundaries: Uint32Array.from(boundaries),
    out,
  });
  return [...out];
}

it('finds the best spans in order, with the lower start, then the lower end first of equal ones', () => {
  // 7: 2..3; 6: 2..2 before 2..4; 3: 1..3 before 4..4.
  expect(search(5, 9, [1, 5, 0, 0])).toEqual([7, 0, 0, 7, 2, 3, 6, 2, 2, 6, 2, 4, 3, 1, 3, 3, 4, 4]);
});

it('keeps to the longest answer and to the context', () => {
  expect(search(1, 1, [1, 5, 0, 0]).slice(3)).toEqual([6, 2, 2]);
  expect(search(2, 9, [3, 4, 0, 0]).slice(3)).toEqual([2, 3, 3, 0, -1, -1]);
  expect(search(1, 9, [3, 3, 0, 0])).toEqual([7, 0, 0, 0, -1, -1]);
});

it('counts tokens from the row', () => {
  expect(search(1, 9, [3, 5, 2, 0])).toEqual([6, 0, 0, 3, 2, 2]);
});

it('takes spans between the same boundaries for one, and none for a span that has nothing between them', () => {
  // Token 1 means nothing, tokens 2 and 3 are one character.
  const boundaries = [0, 1, 2, 1, 2, 4, 2, 4, 4, 5];
  const none = [0, -1, -1];
  expect(search(4, 9, [1, 5, 0, 0], logits, boundaries).slice(3)).toEqual([
    7,
    2,
    3,
    6,
    2,
    4,
    3,
    4,
    4,
    ...none,
  ]);
  const loud = logits.slice();
  loud.set([9, 9], 2);
  expect(search(1, 9, [1, 5, 0, 0], loud, boundaries).slice(3)).toEqual([11, 2, 3]);
  expect(search(4, 9, [1, 5, 0, 0], loud, boundaries).slice(3)).toEqual([
    11,
    2,
    3,
    10,
    2,
    4,
    3,
    4,
    4,
    ...none,
  ]);
  expect(search(1, 9, [1, 2, 0, 0], loud, boundaries).slice(3)).toEqual(none);
});

it('says where a logit is not finite, and takes no such sum', () => {
  const broken = logits.slice();
  broken[4] = NaN;
  expect(search(1, 9, [1, 5, 0, 0], broken)).toEqual([7, 5, NaN, 3, 1, 3]);
  broken[1] = -Infinity;
  expect(search(1, 9, [1, 5, 0, 0], broken).slice(0, 3)).toEqual([-Infinity, 2, -Infinity]);
});
