import type { KernelVariant } from '../op.ts';
import type { AttentionProblem } from './contract.ts';

/** Best first. */
export const attentionVariants: readonly KernelVariant<AttentionProblem>[] = [];
