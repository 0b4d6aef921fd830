import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ops, type MeanPoolProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.mean_pool;
const small: MeanPoolProblem = { numTokens: 53, numRows: 3, width: 70 };

/** Rows of nearly equal length, and each one's last token. */
function table({ numTokens, numRows }: MeanPoolProblem): { tokens: Uint32Array; rows: Uint32Array } {
  const starts = Array.from({ length: numRows + 1 }, (_, row) => Math.floor((row * numTokens) / numRows));
  const tokens = starts.slice(0, -1).flatMap((start, row) => {
    const end = starts[row + 1] ?? start;
    return Array.from({ length: end - start }, (_, i) => [start, end, i, row]).flat();
  });
  return { tokens: Uint32Array.from(tokens), rows: Uint32Array.from(starts.slice(1), (end) => end - 1) };
}

describeKernel<MeanPoolProblem>({
  definition: ops.mean_pool,
  problems: fc
    .record({ numTokens: sizes(140), numRows: sizes(9), width: sizes(130) })
    .map(({ numTokens, numRows, width }) => ({ numTokens, numRows: Math.min(numRows, numTokens), width })),
  inputs: (problem, random, kind) => ({
    x: random.floats(problem.numTokens * problem.width, kind),
    ...table(problem),
  }),
  always: [small, { numTokens: 1, numRows: 1, width: 1 }, { numTokens: 346, numRows: 1, width: 33 }],
  folding: [{ numTokens: 20, numRows: 10, width: 33 }],
  twins: [
    { variant: 'mean_pool_f32', from: 't < token.y', to: 't + 1u < token.y', problem: small },
    { variant: 'mean_pool_f32', from: 'half = LANES / 2u', to: 'half = LANES / 4u', problem: small },
  ],
});

describe.each(variants)('$id', (variant) => {
  it('gives a row the bits that it has alone', async () => {
    const x = new Random(4).floats(53 * 70);
    const { out: together } = await runVariant(contract, variant, small, {
      x,
      ...table(small),
      out: new Float32Array(3 * 70).fill(NaN),
    });
    const alone = { numTokens: 17, numRows: 1, width: 70 };
    const { out: first } = await runVariant(contract, variant, alone, {
      x: x.slice(0, 17 * 70),
      ...table(alone),
      out: new Float32Array(70).fill(NaN),
    });
    expect(first?.length).toBe(70);
    expectSameBits(
      { out: together?.slice(0, 70) ?? new Float32Array() },
      { out: first ?? new Float32Array() },
    );
  });
});
