import type { KernelVariant } from '../op.ts';
import type { RmsNormProblem } from './contract.ts';

/** Best first. */
export const rmsNormVariants: readonly KernelVariant<RmsNormProblem>[] = [];
