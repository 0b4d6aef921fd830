import type { KernelVariant } from '../op.ts';
import type { EmbeddingSumProblem } from './contract.ts';
import wgsl from './embedding_sum_f32_f32.wgsl?raw';

/** One token per workgroup. */
const embeddingSumF32F32: KernelVariant<EmbeddingSumProblem> = {
  id: 'embedding_sum_f32_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens,
};

/** Best first. */
export const embeddingSumVariants: readonly KernelVariant<EmbeddingSumProblem>[] = [embeddingSumF32F32];
