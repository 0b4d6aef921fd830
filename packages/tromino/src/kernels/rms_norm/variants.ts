import type { KernelVariant } from '../op.ts';
import type { RmsNormProblem } from './contract.ts';
import portable from '../portable.wgsl?raw';
import kernel from './rms_norm_f32.wgsl?raw';

/** One row per workgroup. */
const rmsNormF32: KernelVariant<RmsNormProblem> = {
  id: 'rms_norm_f32',
  wgsl: portable + kernel,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.rows,
};

/** Best first. */
export const rmsNormVariants: readonly KernelVariant<RmsNormProblem>[] = [rmsNormF32];
