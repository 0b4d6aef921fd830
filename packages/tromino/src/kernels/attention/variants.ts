import type { KernelVariant } from '../op.ts';
import any from './attention_any_f32.wgsl?raw';
import tile from './attention_tile_f32.wgsl?raw';
import type { AttentionProblem } from './contract.ts';

/** Bytes of one vector of four f32. */
const vectorSizeBytes = 16;

/** Lanes that sum exponentials, by the contract. */
const sumLanes = 64;

/** In steps, so that inputs of similar length share a pipeline. */
function rowCapacity({ maxRowTokens }: AttentionProblem): number {
  return Math.ceil(maxRowTokens / 128) * 128;
}

/** Whether everything is in whole vec4 and all scores of a row find room in workgroup memory. */
function fitsTile(p: AttentionProblem, queryVectors: number, workgroupSizeBytes: number): boolean {
  const sizes = [p.headDim, p.keyStride, p.keyOffset, p.valueStride, p.valueOffset];
  const vectors = (rowCapacity(p) + Math.max(p.headDim, sumLanes)) * queryVectors;
  return sizes.every((size) => size % 4 === 0) && vectors * vectorSizeBytes <= workgroupSizeBytes;
}

/** One tile of `4 * queryVectors` queries of one head per workgroup of 128. */
function tileF32(queryVectors: 1 | 2): KernelVariant<AttentionProblem> {
  const numQueries = 4 * queryVectors;
  return {
    id: `attention_tile${numQueries}_f32`,
    wgsl: tile,
    requires: [],
    overrides: (p) => ({ query_vectors: queryVectors, row_capacity: rowCapacity(p), head_size: p.headDim }),
    fits: (p, caps) => fitsTile(p, queryVectors, caps.maxComputeWorkgroupStorageSize),
    workgroups: (p) => Math.ceil(p.numTokens / numQueries) * p.numHeads,
  };
}

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
export const attentionVariants: readonly KernelVariant<AttentionProblem>[] = [tileF32(2), tileF32(1), anyF32];
