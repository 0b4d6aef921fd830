import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ops } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small = { rows: 3, hidden: 130, epsilon: 1e-5 };

describeKernel({
  definition: ops.rms_norm,
  problems: fc.record({ rows: sizes(33), hidden: sizes(700), epsilon: fc.constantFrom(1e-5, 1e-6) }),
  inputs: ({ rows, hidden }, random, kind) => ({
    x: random.floats(rows * hidden, kind),
    weight: random.floats(hidden, kind),
  }),
  always: [small, { rows: 65_540, hidden: 3, epsilon: 1e-6 }],
  folding: [{ rows: 50, hidden: 20, epsilon: 1e-6 }],
  twins: [
    { variant: 'rms_norm_f32', from: 'half = 32u', to: 'half = 16u', problem: small },
    { variant: 'rms_norm_f32', from: ' + params.epsilon', to: '', problem: { ...small, epsilon: 1e-2 } },
  ],
});

describe.each(ops.rms_norm.variants)('$id', (variant) => {
  it('gives zeros where the squares pass the f32 range, and where the row is zero', async () => {
    const problem = { rows: 2, hidden: 4, epsilon: 1e-6 };
    const x = Float32Array.of(1e20, -3e38, 1, 0, 0, 0, -0, 0);
    const operands = { x, weight: new Float32Array(4).fill(1), out: new Float32Array(8).fill(NaN) };
    const { out } = await runVariant(ops.rms_norm.contract, variant, problem, operands);
    expect(Array.from(out ?? [], Math.abs)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
