import type { KernelVariant } from '../op.ts';
import any from './attention_any_f32.wgsl?raw';
import tile4 from './attention_tile4_f32.wgsl?raw';
import type { AttentionProblem } from './contract.ts';

/** Bytes of one vector of four f32. */
const vectorSizeBytes = 16;

/** In steps, so that inputs of similar length share a pipeline. */
function rowCapacity({ maxRowTokens }: AttentionProblem): number {
  return Math.ceil(maxRowTokens / 128) * 128;
}

/** Four queries of one head per workgroup, all scores of their row in workgroup memory. */
const tile4F32: KernelVariant<AttentionProblem> = {
  id: 'attention_tile4_f32',
  wgsl: tile4,
  requires: [],
  overrides: (p) => ({ row_capacity: rowCapacity(p), head_capacity: p.headDim }),
  fits: (p, caps) =>
    [p.headDim, p.keyStride, p.keyOffset].every((size) => size % 4 === 0) &&
    (rowCapacity(p) + p.headDim + 64) * vectorSizeBytes <= caps.maxComputeWorkgroupStorageSize,
  workgroups: (p) => Math.ceil(p.numTokens / 4) * p.numHeads,
};

/** One query of one head per workgroup, any row length and head size; computes scores over again rather than keep them. */
const anyF32: KernelVariant<AttentionProblem> = {
  id: 'attention_any_f32',
  wgsl: any,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens * p.numHeads,
};

/** Best first. */
export const attentionVariants: readonly KernelVariant<AttentionProblem>[] = [tile4F32, anyF32];
