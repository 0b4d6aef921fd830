import type { KernelVariant } from '../op.ts';
import type { RopeProblem } from './contract.ts';
import portable from '../portable.wgsl?raw';
import kernel from './rope_f32.wgsl?raw';

/** One head of one token per workgroup. */
const ropeF32: KernelVariant<RopeProblem> = {
  id: 'rope_f32',
  wgsl: portable + kernel,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numTokens * p.numHeads,
};

/** Best first. */
export const ropeVariants: readonly KernelVariant<RopeProblem>[] = [ropeF32];
