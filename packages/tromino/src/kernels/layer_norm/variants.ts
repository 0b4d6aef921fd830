import type { KernelVariant } from '../op.ts';
import type { LayerNormProblem } from './contract.ts';
import wgsl from './layer_norm_f32.wgsl?raw';

/** One row per workgroup. */
const layerNormF32: KernelVariant<LayerNormProblem> = {
  id: 'layer_norm_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.rows,
};

/** Best first. */
export const layerNormVariants: readonly KernelVariant<LayerNormProblem>[] = [layerNormF32];
