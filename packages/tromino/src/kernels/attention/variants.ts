import { defaultCaps } from '../caps.ts';
import type { KernelVariant } from '../op.ts';
import portable from '../portable.wgsl?raw';
import any from './attention_any_f32.wgsl?raw';
import tile from './attention_tile_f32.wgsl?raw';
import type { AttentionProblem } from './contract.ts';

/** Vectors of four f32 that workgroup memory holds by the default limits. */
const workgroupVectors = defaultCaps.maxComputeWorkgroupStorageSize / 16;

/** Lanes that sum exponentials, by the contract. */
const sumLanes = 64;

/**
 * Keys of a row that workgroup memory has room for, in whole batches of eight: 128, 256 or all there is. No finer steps, since each is a
 * pipeline to compile when a length is met first; and not all for every row, since workgroups with less run side by side.
 */
function rowCapacity({ maxRowTokens, headDim }: AttentionProblem, queryVectors: number): number {
  const most = Math.floor(workgroupVectors / queryVectors) - Math.max(headDim, sumLanes);
  const step = [128, 256].find((tokens) => maxRowTokens <= tokens && tokens <= most);
  return step ?? most - (most % 8);
}

/** One tile of `4 * queryVectors` queries of one head per workgroup of 128, all scores of their row in workgroup memory. */
function tileF32(queryVectors: 1 | 2): KernelVariant<AttentionProblem> {
  const numQueries = 4 * queryVectors;
  return {
    id: `attention_tile${numQueries}_f32`,
    wgsl: portable + tile,
    requires: [],
    overrides: (p) => ({
      query_vectors: queryVectors,
      row_capacity: rowCapacity(p, queryVectors),
      head_size: p.headDim,
      is_portable: Number(p.portable),
    }),
    fits: (p) =>
      [p.headDim, p.keyStride, p.keyOffset, p.valueStride, p.valueOffset].every((size) => size % 4 === 0) &&
      p.maxRowTokens <= rowCapacity(p, queryVectors),
    workgroups: (p) => Math.ceil(p.numTokens / numQueries) * p.numHeads,
  };
}

/** One query of one head per workgroup, any row length and head size; computes scores over again rather than keep them. */
const anyF32: KernelVariant<AttentionProblem> = {
  id: 'attention_any_f32',
  wgsl: portable + any,
  requires: [],
  overrides: (p) => ({ is_portable: Number(p.portable) }),
  fits: () => true,
  workgroups: (p) => p.numTokens * p.numHeads,
};

/** Best first. */
export const attentionVariants: readonly KernelVariant<AttentionProblem>[] = [tileF32(2), tileF32(1), anyF32];
