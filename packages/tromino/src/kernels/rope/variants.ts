import type { KernelVariant } from '../op.ts';
import type { RopeProblem } from './contract.ts';

/** Best first. */
export const ropeVariants: readonly KernelVariant<RopeProblem>[] = [];
