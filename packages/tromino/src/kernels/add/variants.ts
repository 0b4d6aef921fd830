import type { KernelVariant } from '../op.ts';
import type { AddProblem } from './contract.ts';

/** Best first. */
export const addVariants: readonly KernelVariant<AddProblem>[] = [];
