import type { KernelVariant } from '../op.ts';
import type { EmbeddingNf4Problem } from './contract.ts';
import wgsl from './embedding_nf4_f32.wgsl?raw';

/** One token per workgroup. */
const embeddingNf4F32: KernelVariant<EmbeddingNf4Problem> = {
  id: 'embedding_nf4_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens,
};

/** Best first. */
export const embeddingNf4Variants: readonly KernelVariant<EmbeddingNf4Problem>[] = [embeddingNf4F32];
