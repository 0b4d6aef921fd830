import type { KernelVariant } from '../op.ts';
import type { RmsNormQuantizeProblem } from './contract.ts';
import portable from '../portable.wgsl?raw';
import kernel from './rms_norm_quantize_f32.wgsl?raw';

/** One row per workgroup. */
const rmsNormQuantizeF32: KernelVariant<RmsNormQuantizeProblem> = {
  id: 'rms_norm_quantize_f32',
  wgsl: portable + kernel,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: ({ rows }) => rows,
};

/** Best first. */
export const rmsNormQuantizeVariants: readonly KernelVariant<RmsNormQuantizeProblem>[] = [rmsNormQuantizeF32];
