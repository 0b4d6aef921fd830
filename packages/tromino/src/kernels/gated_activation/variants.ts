import { activations } from '../activation/functions.ts';
import functions from '../activation/functions.wgsl?raw';
import type { KernelVariant } from '../op.ts';
import type { GatedActivationProblem } from './contract.ts';
import kernel from './gated_activation_f32.wgsl?raw';

/** One element per invocation; the activation is chosen when the pipeline is made. */
const gatedActivationF32: KernelVariant<GatedActivationProblem> = {
  id: 'gated_activation_f32',
  wgsl: functions + kernel,
  requires: [],
  overrides: (p) => ({ activation: activations.indexOf(p.activation) }),
  fits: () => true,
  workgroups: (p) => Math.ceil((p.rows * p.inner) / 256),
};

/** Best first. */
export const gatedActivationVariants: readonly KernelVariant<GatedActivationProblem>[] = [gatedActivationF32];
