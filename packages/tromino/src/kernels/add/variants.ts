import type { KernelVariant } from '../op.ts';
import type { AddProblem } from './contract.ts';
import wgsl from './add_f32.wgsl?raw';

/** One element per invocation. */
const addF32: KernelVariant<AddProblem> = {
  id: 'add_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => Math.ceil(p.length / 256),
};

/** Best first. */
export const addVariants: readonly KernelVariant<AddProblem>[] = [addF32];
