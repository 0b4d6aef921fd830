import type { KernelVariant } from '../op.ts';
import type { MeanPoolProblem } from './contract.ts';
import wgsl from './mean_pool_f32.wgsl?raw';

/** 32 columns of one row per workgroup. */
const meanPoolF32: KernelVariant<MeanPoolProblem> = {
  id: 'mean_pool_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numRows * Math.ceil(p.width / 32),
};

/** Best first. */
export const meanPoolVariants: readonly KernelVariant<MeanPoolProblem>[] = [meanPoolF32];
