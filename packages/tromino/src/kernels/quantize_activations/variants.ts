import type { KernelVariant } from '../op.ts';
import type { QuantizeActivationsProblem } from './contract.ts';
import portable from '../portable.wgsl?raw';
import kernel from './quantize_activations_f32.wgsl?raw';

/** One row per workgroup. */
const quantizeActivationsF32: KernelVariant<QuantizeActivationsProblem> = {
  id: 'quantize_activations_f32',
  wgsl: portable + kernel,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: ({ rows }) => rows,
};

/** Best first. */
export const quantizeActivationsVariants: readonly KernelVariant<QuantizeActivationsProblem>[] = [
  quantizeActivationsF32,
];
