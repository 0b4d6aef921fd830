import type { KernelVariant } from '../op.ts';
import type { GatedActivationProblem } from './contract.ts';

/** Best first. */
export const gatedActivationVariants: readonly KernelVariant<GatedActivationProblem>[] = [];
