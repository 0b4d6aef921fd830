import type { KernelVariant } from '../op.ts';
import type { GatherRowsProblem } from './contract.ts';

/** Best first. */
export const gatherRowsVariants: readonly KernelVariant<GatherRowsProblem>[] = [];
