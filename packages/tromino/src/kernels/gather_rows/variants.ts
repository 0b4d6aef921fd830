import type { KernelVariant } from '../op.ts';
import type { GatherRowsProblem } from './contract.ts';
import wgsl from './gather_rows_f32.wgsl?raw';

/** One row per workgroup. */
const gatherRowsF32: KernelVariant<GatherRowsProblem> = {
  id: 'gather_rows_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numRows,
};

/** Best first. */
export const gatherRowsVariants: readonly KernelVariant<GatherRowsProblem>[] = [gatherRowsF32];
