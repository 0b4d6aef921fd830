import type { KernelVariant } from '../op.ts';
import kernel from './activation_f32.wgsl?raw';
import type { ActivationProblem } from './contract.ts';
import { activations } from './functions.ts';
import functions from './functions.wgsl?raw';

/** One element per invocation; the function is chosen when the pipeline is made. */
const activationF32: KernelVariant<ActivationProblem> = {
  id: 'activation_f32',
  wgsl: functions + kernel,
  requires: [],
  overrides: (p) => ({ activation: activations.indexOf(p.activation) }),
  fits: () => true,
  workgroups: (p) => Math.ceil(p.length / 256),
};

/** Best first. */
export const activationVariants: readonly KernelVariant<ActivationProblem>[] = [activationF32];
