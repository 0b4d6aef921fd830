import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ops, type SpanSearchProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import type { Random, ValueKind } from '../testing/random.ts';
import { describeKernel, sizes } from '../testing/suite.ts';
import { boundaryFields, spanRowLength } from './contract.ts';

const { contract, variants } = ops.span_search;
const small: SpanSearchProblem = {
  numTokens: 70,
  numRows: 3,
  numBoundaries: 70,
  topK: 4,
  maxAnswerTokens: 9,
};

/** All the answers that there are. */
const crowded: SpanSearchProblem = { ...small, numTokens: 200, numBoundaries: 200, topK: 300 };

/** Few values, so that many spans are equal: the order of ties is what there is to get wrong. */
const fewValues = [0, -0, 1, -1, 2.5, 1e-6, -250, 3e38, -3e38];

function logits({ numTokens }: SpanSearchProblem, random: Random, kind: ValueKind): Float32Array {
  if (kind !== 'special') return random.floats(numTokens * 2, kind);
  const numValues = 1 + random.below(fewValues.length);
  return Float32Array.from({ length: numTokens * 2 }, () => fewValues[random.below(numValues)] ?? 0);
}

/** First token of a row and one past its last: rows of nearly equal length. */
function rowOf(row: number, numTokens: number, numRows: number): readonly [number, number] {
  return [Math.floor((row * numTokens) / numRows), Math.floor(((row + 1) * numTokens) / numRows)];
}

/** Rows, each with a context somewhere behind its first token; some are empty. */
function contexts({ numTokens, numRows }: SpanSearchProblem, random: Random): Uint32Array {
  return Uint32Array.from(
    Array.from({ length: numRows }, (_, row) => {
      const [first, end] = rowOf(row, numTokens, numRows);
      const start = first + random.below(end - first + 1);
      return [start, start + random.below(end - start + 1), first, first];
    }).flat(),
  );
}

/** Tokens in groups of a few that mean the same, or nothing. */
function boundaries({ numTokens, numRows }: SpanSearchProblem, random: Random): Uint32Array {
  const out: number[] = [];
  for (let row = 0; row < numRows; row++) {
    const [rowStart, rowEnd] = rowOf(row, numTokens, numRows);
    let last = 0;
    for (let start = 0; start < rowEnd - rowStart;) {
      const end = Math.min(rowEnd - rowStart, start + 1 + random.below(3));
      const isNothing = random.below(4) === 0;
      for (let token = start; token < end; token++) out.push(isNothing ? end : start, isNothing ? last : end);
      if (!isNothing) last = end;
      start = end;
    }
  }
  return Uint32Array.from(out);
}

describeKernel<SpanSearchProblem>(
  {
    definition: ops.span_search,
    problems: fc
      .record({ numTokens: sizes(160), numRows: sizes(9), topK: sizes(33), maxAnswerTokens: sizes(70) })
      .map((problem) => ({
        ...problem,
        numRows: Math.min(problem.numRows, problem.numTokens),
        numBoundaries: problem.numTokens,
      })),
    inputs: (problem, random, kind) => ({
      logits: logits(problem, random, kind),
      contexts: contexts(problem, random),
      boundaries: boundaries(problem, random),
    }),
    always: [
      small,
      { numTokens: 1, numRows: 1, numBoundaries: 1, topK: 1, maxAnswerTokens: 1 },
      { numTokens: 600, numRows: 1, numBoundaries: 600, topK: 2, maxAnswerTokens: 600 },
    ],
    folding: [{ numTokens: 60, numRows: 10, numBoundaries: 60, topK: 2, maxAnswerTokens: 5 }],
    twins: [
      {
        variant: 'span_search_f32',
        from: 'first + params.max',
        to: '1u + first + params.max',
        problem: small,
      },
      { variant: 'span_search_f32', from: '!is_written(span, answers, k)', to: 'true', problem: crowded },
      { variant: 'span_search_f32', from: 'span.start < span.end', to: 'true', problem: crowded },
      { variant: 'span_search_f32', from: 'half = LANES / 2u', to: 'half = LANES / 4u', problem: wide() },
    ],
  },
  30,
);

/** More tokens than half the lanes, so that each half of them holds some. */
function wide(): SpanSearchProblem {
  return { numTokens: 900, numRows: 1, numBoundaries: 900, topK: 3, maxAnswerTokens: 4 };
}

/** Tokens that mean a place each. */
function ownBoundaries(numTokens: number): Uint32Array {
  return Uint32Array.from({ length: numTokens * boundaryFields.count }, (_, i) => Math.ceil(i / 2));
}

describe.each(variants)('$id', (variant) => {
  it('orders equal spans by start, then by end', async () => {
    const problem = { numTokens: 300, numRows: 1, numBoundaries: 300, topK: 5, maxAnswerTokens: 3 };
    const { out } = await runVariant(contract, variant, problem, {
      logits: new Float32Array(600).fill(0.5),
      contexts: Uint32Array.of(2, 299, 0, 0),
      boundaries: ownBoundaries(300),
      out: new Float32Array(spanRowLength(5)).fill(NaN),
    });
    const spans = [2, 2, 2, 3, 2, 4, 3, 3, 3, 4];
    expect(out && [...out]).toEqual([
      1,
      0,
      0,
      ...[0, 2, 4, 6, 8].flatMap((i) => [1, spans[i], spans[i + 1]]),
    ]);
  });

  it('says where a logit is not finite', async () => {
    const logits = new Float32Array(20);
    logits[13] = Infinity;
    logits[16] = NaN;
    const { out } = await runVariant(
      contract,
      variant,
      { numTokens: 10, numRows: 1, numBoundaries: 10, topK: 1, maxAnswerTokens: 1 },
      {
        logits,
        contexts: Uint32Array.of(5, 10, 2, 0),
        boundaries: ownBoundaries(10),
        out: new Float32Array(6).fill(NaN),
      },
    );
    expect(out && [...out]).toEqual([0, 10, Infinity, 0, 3, 3]);
  });
});
