import fc from 'fast-check';
import { activations, ops, type GatedActivationProblem } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small: GatedActivationProblem = { rows: 3, inner: 100, activation: 'silu' };

describeKernel<GatedActivationProblem>({
  definition: ops.gated_activation,
  problems: fc.record({ rows: sizes(20), inner: sizes(300), activation: fc.constantFrom(...activations) }),
  inputs: ({ rows, inner }, random, kind) => ({ x: random.floats(rows * 2 * inner, kind) }),
  always: activations.map((activation) => ({ ...small, activation })),
  folding: [{ ...small, rows: 30 }],
  twins: [
    { variant: 'gated_activation_f32', from: 'x[gate + params.inner]', to: 'x[gate]', problem: small },
    {
      variant: 'gated_activation_f32',
      from: '0.12192034',
      to: '0.1219',
      problem: { ...small, activation: 'gelu' },
    },
  ],
});
