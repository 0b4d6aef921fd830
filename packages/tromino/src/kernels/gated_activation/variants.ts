import type { KernelVariant } from '../op.ts';
import { activations, type GatedActivationProblem } from './contract.ts';
import wgsl from './gated_activation_f32.wgsl?raw';

/** One element per invocation; the activation is chosen when the pipeline is made. */
const gatedActivationF32: KernelVariant<GatedActivationProblem> = {
  id: 'gated_activation_f32',
  wgsl,
  requires: [],
  overrides: (p) => ({ activation: activations.indexOf(p.activation) }),
  fits: () => true,
  workgroups: (p) => Math.ceil((p.rows * p.inner) / 256),
};

/** Best first. */
export const gatedActivationVariants: readonly KernelVariant<GatedActivationProblem>[] = [gatedActivationF32];
