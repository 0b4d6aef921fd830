import type { KernelVariant } from '../op.ts';
import type { MatmulProblem } from './contract.ts';

/** Best first. */
export const matmulVariants: readonly KernelVariant<MatmulProblem>[] = [];
