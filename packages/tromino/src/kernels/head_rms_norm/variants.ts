import type { KernelVariant } from '../op.ts';
import type { HeadRmsNormProblem } from './contract.ts';
import wgsl from './head_rms_norm_f32.wgsl?raw';

/** One head of one token per workgroup. */
const headRmsNormF32: KernelVariant<HeadRmsNormProblem> = {
  id: 'head_rms_norm_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens * (p.numQueryHeads + p.numKeyHeads),
};

/** Best first. */
export const headRmsNormVariants: readonly KernelVariant<HeadRmsNormProblem>[] = [headRmsNormF32];
