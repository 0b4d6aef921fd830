import type { KernelVariant } from '../op.ts';
import type { EmbeddingProblem } from './contract.ts';

/** Best first. */
export const embeddingVariants: readonly KernelVariant<EmbeddingProblem>[] = [];
