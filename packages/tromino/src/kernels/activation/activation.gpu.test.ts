import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activations, ops, type Activation, type ActivationProblem } from '../index.ts';
import { difference } from '../testing/compare.ts';
import { runVariant } from '../testing/device.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.activation;
const small: ActivationProblem = { length: 300, activation: 'silu' };

describeKernel<ActivationProblem>({
  definition: ops.activation,
  problems: fc.record({ length: sizes(700), activation: fc.constantFrom(...activations) }),
  inputs: ({ length }, random, kind) => ({ x: random.floats(length, kind) }),
  always: activations.map((activation) => ({ ...small, activation })),
  folding: [{ ...small, length: 3000 }],
  twins: [
    {
      variant: 'activation_f32',
      from: 'i >= params.length',
      to: 'i + 1u >= params.length',
      problem: small,
    },
    {
      variant: 'activation_f32',
      from: '0.12192034',
      to: '0.1219',
      problem: { ...small, activation: 'gelu' },
    },
    {
      variant: 'activation_f32',
      from: '0.13333334',
      to: '0.133',
      problem: { ...small, activation: 'tanh' },
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
    values: readonly number[],
    activation: Activation,
  ): Promise<[Float32Array, Float32Array]> {
    const problem = { length: values.length, activation };
    const x = Float32Array.from(values);
    const operands = { x, out: new Float32Array(values.length).fill(NaN) };
    const { out } = await runVariant(contract, variant, problem, operands);
    ops.activation.reference(problem, operands);
    return [out ?? new Float32Array(), operands.out];
  }
});
