import type { OpContract } from '../op.ts';

/** Size of an addition. */
export type AddProblem = Readonly<{ length: number }>;

/**
 * Adds two tensors of the same shape.
 *
 * **Shapes** a[length], b[length] → out[length].
 *
 * **Numerics** one rounding per element.
 */
export const addContract: OpContract<AddProblem> = {
  op: 'add',
  operands: [
    { name: 'a', role: 'input', dtype: 'f32' },
    { name: 'b', role: 'input', dtype: 'f32' },
    { name: 'out', role: 'output', dtype: 'f32' },
  ],
  params: [{ name: 'length', type: 'u32' }],
  tolerance: { absolute: 1e-37, relative: 1e-7 },
  paramValues: (p) => [p.length],
  operandLengths: (p) => ({ a: p.length, b: p.length, out: p.length }),
};
