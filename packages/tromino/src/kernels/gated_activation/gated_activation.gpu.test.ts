import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activations, ops, type Activation, type GatedActivationProblem } from '../index.ts';
import { difference } from '../testing/compare.ts';
import { runVariant } from '../testing/device.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.gated_activation;
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

describe.each(variants)('$id', (variant) => {
  it.each(activations)(
    'follows %s closely from -8 to 8 and is finite and right far beyond',
    async (activation) => {
      const near = Array.from({ length: 1601 }, (_, i) => (i - 800) / 100);
      const far = [-1e30, -1e4, -300, -88, -40, 40, 88, 300, 1e4, 1e15];
      const [found, expected] = await activated([...near, ...far], activation);
      const end = near.length;
      const tolerance = { absolute: 2e-6, relative: 0 };
      expect(difference(found.subarray(0, end), expected.subarray(0, end), tolerance)).toBeUndefined();
      for (let i = end; i < found.length; i++) {
        const one = [found.subarray(i, i + 1), expected.subarray(i, i + 1)] as const;
        expect(difference(...one, { absolute: 1e-30, relative: 1e-6 })).toBeUndefined();
      }
    },
  );

  async function activated(
    gates: readonly number[],
    activation: Activation,
  ): Promise<[Float32Array, Float32Array]> {
    const problem = { rows: gates.length, inner: 1, activation };
    const x = Float32Array.from(gates.flatMap((gate) => [gate, 1]));
    const operands = { x, out: new Float32Array(gates.length).fill(NaN) };
    const { out } = await runVariant(contract, variant, problem, operands);
    ops.gated_activation.reference(problem, operands);
    return [out ?? new Float32Array(), operands.out];
  }
});
