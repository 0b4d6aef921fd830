import fc from 'fast-check';
import { ops } from '../index.ts';
import type { Random } from '../testing/random.ts';
import { describeKernel, sizes } from '../testing/suite.ts';
import { pointerVectors, type PointerScoresProblem } from './contract.ts';

const small = { numTokens: 50, numQuestions: 3, numPairs: 104, maxRowTokens: 35, width: 20 };

/** Questions about rows of nearly equal length, which may lie anywhere; all pairs are some question's. */
function questions({ numTokens, numQuestions, numPairs }: PointerScoresProblem, random: Random): Uint32Array {
  const firstPair = (question: number): number => Math.floor((question * numPairs) / numQuestions);
  return Uint32Array.from(
    Array.from({ length: numQuestions }, (_, question) => {
      const length = firstPair(question + 1) - firstPair(question);
      const start = random.below(numTokens - length + 1);
      return [start + random.below(length), start, length, firstPair(question)];
    }).flat(),
  );
}

describeKernel<PointerScoresProblem>({
  definition: ops.pointer_scores,
  problems: fc
    .record({ numQuestions: sizes(20), maxRowTokens: sizes(131), width: sizes(131), numOthers: fc.nat(40) })
    .map(({ numQuestions, maxRowTokens, width, numOthers }) => ({
      numTokens: maxRowTokens + numOthers,
      numQuestions,
      // Some rows are one shorter than the longest.
      numPairs: numQuestions * maxRowTokens - (maxRowTokens > 1 ? Math.floor(numQuestions / 2) : 0),
      maxRowTokens,
      width,
    })),
  inputs: (problem, random, kind) => ({
    projected: random.floats(problem.numTokens * pointerVectors * problem.width, kind),
    questions: questions(problem, random),
  }),
  always: [
    small,
    { numTokens: 111, numQuestions: 2, numPairs: 222, maxRowTokens: 111, width: 128 },
    { numTokens: 1, numQuestions: 1, numPairs: 1, maxRowTokens: 1, width: 1 },
  ],
  folding: [{ numTokens: 60, numQuestions: 5, numPairs: 300, maxRowTokens: 60, width: 12 }],
  twins: [
    {
      variant: 'pointer_scores_vec4_f32',
      from: '4u + 2u + side',
      to: '4u + side',
      problem: small,
    },
    {
      variant: 'pointer_scores_vec4_f32',
      from: 'place >= question.z',
      to: 'place + 1u >= question.z',
      problem: small,
    },
    {
      variant: 'pointer_scores_f32',
      from: 'k < params.width',
      to: 'k < params.width - 1u',
      problem: small,
    },
  ],
});
