import type { KernelVariant } from '../op.ts';
import type { PointerScoresProblem } from './contract.ts';
import plain from './pointer_scores_f32.wgsl?raw';
import vec4 from './pointer_scores_vec4_f32.wgsl?raw';

/** Blocks of 32 tokens for each question; those beyond the end of a question's row have nothing to do. */
function workgroups({ numQuestions, maxRowTokens }: PointerScoresProblem): number {
  return numQuestions * Math.ceil(maxRowTokens / 32);
}

/** One score per invocation, vectors in whole vec4. */
const pointerScoresVec4F32: KernelVariant<PointerScoresProblem> = {
  id: 'pointer_scores_vec4_f32',
  wgsl: vec4,
  requires: [],
  overrides: () => ({}),
  fits: ({ width }) => width % 4 === 0,
  workgroups,
};

/** One score per invocation, any width. */
const pointerScoresF32: KernelVariant<PointerScoresProblem> = {
  id: 'pointer_scores_f32',
  wgsl: plain,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups,
};

/** Best first. */
export const pointerScoresVariants: readonly KernelVariant<PointerScoresProblem>[] = [
  pointerScoresVec4F32,
  pointerScoresF32,
];
