import type { KernelVariant } from '../op.ts';
import type { HeadRmsNormProblem } from './contract.ts';

/** Best first. */
export const headRmsNormVariants: readonly KernelVariant<HeadRmsNormProblem>[] = [];
