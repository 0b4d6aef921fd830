import type { KernelVariant } from '../op.ts';
import type { RelativeAttentionProblem } from './contract.ts';
import any from './relative_attention_any_f32.wgsl?raw';
import row from './relative_attention_row_f32.wgsl?raw';
import score from './score.wgsl?raw';

/** Keys of a row that the kernel keeps scores of; as much as leaves workgroup memory for two workgroups side by side. */
const rowCapacity = 2048;

/** One query of one head per workgroup, all scores of its row in workgroup memory. */
const rowF32: KernelVariant<RelativeAttentionProblem> = {
  id: 'relative_attention_row_f32',
  wgsl: score + row,
  requires: [],
  overrides: () => ({}),
  fits: (p) => p.maxRowTokens <= rowCapacity,
  workgroups: (p) => p.numTokens * p.numHeads,
};

/** One query of one head per workgroup, any row length; computes scores over again rather than keep them. */
const anyF32: KernelVariant<RelativeAttentionProblem> = {
  id: 'relative_attention_any_f32',
  wgsl: score + any,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens * p.numHeads,
};

/** Best first. */
export const relativeAttentionVariants: readonly KernelVariant<RelativeAttentionProblem>[] = [rowF32, anyF32];
