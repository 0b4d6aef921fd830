import type { KernelVariant } from '../op.ts';
import type { EmbeddingProblem } from './contract.ts';
import wgsl from './embedding_f32_f32.wgsl?raw';

/** One token per workgroup. */
const embeddingF32F32: KernelVariant<EmbeddingProblem> = {
  id: 'embedding_f32_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens,
};

/** Best first. */
export const embeddingVariants: readonly KernelVariant<EmbeddingProblem>[] = [embeddingF32F32];
