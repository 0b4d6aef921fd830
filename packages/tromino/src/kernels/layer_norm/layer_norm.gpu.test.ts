import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ops, type LayerNormProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small: LayerNormProblem = { rows: 3, hidden: 130, epsilon: 1e-5, hasBias: true };

describeKernel<LayerNormProblem>({
  definition: ops.layer_norm,
  problems: fc.record({
    rows: sizes(33),
    hidden: sizes(700),
    epsilon: fc.constantFrom(1e-5, 1e-12),
    hasBias: fc.boolean(),
  }),
  // Equal rows have no variance but their rounding, which a small epsilon turns into anything: they are tested below.
  inputs: ({ rows, hidden, hasBias }, random, kind) => ({
    x: random.floats(rows * hidden, kind === 'equal' ? 'uniform' : kind),
    weight: random.floats(hidden, kind),
    ...(hasBias ? { bias: random.floats(hidden, kind) } : {}),
  }),
  always: [small, { rows: 65_540, hidden: 3, epsilon: 1e-2, hasBias: false }],
  folding: [{ rows: 50, hidden: 20, epsilon: 1e-6, hasBias: true }],
  twins: [
    { variant: 'layer_norm_f32', from: 'half = 32u', to: 'half = 16u', problem: small },
    { variant: 'layer_norm_f32', from: 'weight[i], bias[i]', to: 'weight[i], 0.0', problem: small },
    {
      variant: 'layer_norm_f32',
      from: ' + params.epsilon',
      to: '',
      problem: { ...small, epsilon: 1e-2, hasBias: false },
    },
  ],
});

describe.each(ops.layer_norm.variants)('$id', (variant) => {
  const run = async (x: Float32Array): Promise<number[]> => {
    const hidden = x.length;
    const problem = { rows: 1, hidden, epsilon: 1e-6, hasBias: true };
    const operands = {
      x,
      weight: new Float32Array(hidden).fill(2),
      bias: new Float32Array(hidden).fill(0.5),
      out: new Float32Array(hidden).fill(NaN),
    };
    const { out } = await runVariant(ops.layer_norm.contract, variant, problem, operands);
    return [...(out ?? [])];
  };

  it('gives the bias where all elements are equal', async () => {
    expect(await run(new Float32Array(64).fill(3))).toEqual(new Array(64).fill(0.5));
  });

  it('keeps small differences beside a large common value', async () => {
    const found = await run(Float32Array.of(40_001, 39_999, 40_001, 39_999));
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(i % 2 === 0 ? 2.5 : -1.5, 5);
  });
});
