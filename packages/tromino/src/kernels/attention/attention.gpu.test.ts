import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCaps, ops, type AttentionProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.attention;

/** A problem over rows no longer than `maxRowTokens`, read from one fused projection as models do. */
function problemOf(
  numTokens: number,
  maxRowTokens: number,
  rest: Partial<AttentionProblem> = {},
): AttentionProblem {
  const { numHeads = 2, numKeyHeads = 1, headDim = 8 } = rest;
  const width = (numHeads + 2 * numKeyHeads) * headDim;
  return {
    numTokens,
    numHeads,
    numKeyHeads,
    headDim,
    scale: 1 / Math.sqrt(headDim),
    causal: true,
    window: 0,
    queryStride: width,
    queryOffset: 0,
    keyStride: width,
    keyOffset: numHeads * headDim,
    valueStride: width,
    valueOffset: (numHeads + numKeyHeads) * headDim,
    maxRowTokens,
    portable: false,
    ...rest,
  };
}

/** The token table of rows of these lengths. Positions count from `firstPosition` in each row. */
function tokenTable(lengths: readonly number[], firstPosition = 0): Uint32Array {
  const fields: number[] = [];
  let start = 0;
  lengths.forEach((length, row) => {
    for (let i = 0; i < length; i++) fields.push(start, start + length, firstPosition + i, row);
    start += length;
  });
  return Uint32Array.from(fields);
}

/** Cuts `numTokens` into rows of random lengths up to `maxRowTokens`. */
function randomRows(numTokens: number, maxRowTokens: number, random: Random): number[] {
  const lengths: number[] = [];
  for (let left = numTokens; left > 0;) {
    const length = Math.min(left, 1 + random.below(maxRowTokens));
    lengths.push(length);
    left -= length;
  }
  return lengths;
}

/** One buffer's contents stand for q, k and v, as in a model. */
function fused(
  problem: AttentionProblem,
  qkv: Float32Array,
  tokens: Uint32Array,
): Record<string, Float32Array | Uint32Array> {
  const out = new Float32Array(contract.operandLengths(problem).out ?? 0).fill(NaN);
  return { q: qkv, k: qkv, v: qkv, tokens, out };
}

/** An exponential turns the absolute error of a large score into a relative one: beyond this no tolerance would mean anything. */
function moderate(values: Float32Array): Float32Array {
  return values.map((value) => Math.min(Math.max(value, -2), 2));
}

const ragged = problemOf(45, 14, { headDim: 24, numHeads: 6, numKeyHeads: 3 });

describeKernel<AttentionProblem>(
  {
    definition: ops.attention,
    problems: fc
      .record({
        numTokens: sizes(140),
        maxRowTokens: sizes(140),
        numKeyHeads: fc.constantFrom(1, 2, 3),
        group: fc.constantFrom(1, 2, 3),
        // Three head sizes, since each is a pipeline to compile; 7 is not a multiple of 4.
        headDim: fc.constantFrom(7, 8, 80),
        causal: fc.boolean(),
        window: fc.constantFrom(0, 0, 1, 5, 64),
        portable: fc.boolean(),
      })
      .map(({ numTokens, maxRowTokens, group, ...rest }) =>
        problemOf(numTokens, Math.min(maxRowTokens, numTokens), {
          ...rest,
          numHeads: group * rest.numKeyHeads,
        }),
      ),
    inputs: (problem, random, kind) => ({
      q: moderate(random.floats(problem.numTokens * problem.queryStride, kind)),
      k: moderate(random.floats(problem.numTokens * problem.keyStride, kind)),
      v: random.floats(problem.numTokens * problem.valueStride, kind),
      tokens: tokenTable(randomRows(problem.numTokens, problem.maxRowTokens, random)),
    }),
    always: [
      problemOf(1, 1),
      ragged,
      problemOf(130, 130, { headDim: 256, numHeads: 1 }),
      problemOf(346, 346, { headDim: 80, numHeads: 1 }),
      problemOf(1100, 1100, { headDim: 8, numHeads: 1, causal: false }),
    ],
    folding: [ragged],
    twins: [
      {
        variant: 'attention_tile4_f32',
        from: 'key > query',
        to: 'key > query + 1u',
        problem: problemOf(20, 20),
      },
      {
        variant: 'attention_tile8_f32',
        from: 'clamp(tokens[begin].y, begin + 1u, tile_end)',
        to: 'tile_end',
        problem: ragged,
      },
      {
        variant: 'attention_tile8_f32',
        from: 'query, v7)',
        to: 'query, v6)',
        problem: problemOf(20, 20),
      },
      {
        variant: 'attention_any_f32',
        from: 'distance < params.window',
        to: 'distance <= params.window',
        problem: problemOf(20, 20, { window: 3 }),
      },
    ],
  },
  8,
);

describe.each(variants)('$id', (variant) => {
  const run = async (
    problem: AttentionProblem,
    qkv: Float32Array,
    tokens: Uint32Array,
  ): Promise<Float32Array> => {
    const { out } = await runVariant(contract, variant, problem, fused(problem, qkv, tokens));
    return out ?? new Float32Array();
  };

  it.each([0, 70, 119])(
    'stays finite with scores of 1e38 and -1e38, the largest at key %i',
    async (largestAt) => {
      const problem = problemOf(120, 120, { headDim: 4, numHeads: 1, scale: 1, causal: false });
      const qkv = new Float32Array(120 * 12);
      for (let token = 0; token < 120; token++) {
        qkv.set([1e19, 0, 0, 0, token === largestAt ? 1e19 : -1e19, 0, 0, 0, token, 1, 1, 1], token * 12);
      }
      const out = await run(problem, qkv, tokenTable([120]));
      for (let token = 0; token < 120; token++) {
        expect([...out.subarray(token * 4, token * 4 + 4)]).toEqual([largestAt, 1, 1, 1]);
      }
    },
  );

  it('averages the values where all scores are equal', async () => {
    const problem = problemOf(64, 64, { headDim: 4, numHeads: 1, causal: false });
    const qkv = Float32Array.from({ length: 64 * 12 }, (_, i) => (i % 12 < 8 ? 0 : Math.floor(i / 12)));
    const out = await run(problem, qkv, tokenTable([64]));
    expect([...out]).toEqual(new Array(64 * 4).fill(31.5));
  });

  it('gives zeros to a query without an allowed key, and nothing of a masked key to any', async () => {
    // The token's own row says that it has no keys: an empty range that starts at the next row.
    const problem = problemOf(4, 4, { headDim: 4, numHeads: 1, causal: false });
    const qkv = new Float32Array(4 * 12).fill(1);
    const tokens = Uint32Array.from([1, 1, 0, 0, 1, 3, 0, 1, 1, 3, 1, 1, 3, 4, 0, 2]);
    qkv.fill(NaN, 3 * 12);
    qkv.fill(Infinity, 0, 12);
    const out = await run(problem, qkv, tokens);
    expect([...out.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
    expect([...out.subarray(4, 12)]).toEqual(new Array(8).fill(1));
  });

  it('ignores keys beyond the window, whatever they hold', async () => {
    const problem = problemOf(6, 6, { headDim: 4, numHeads: 1, window: 2 });
    const qkv = new Float32Array(6 * 12).fill(1);
    qkv.fill(NaN, 0, 12);
    const out = await run(problem, qkv, tokenTable([6], 5));
    expect([...out.subarray(2 * 4)]).toEqual(new Array(16).fill(1));
  });

  it('gives a row of a ragged batch the bits that it has alone', async () => {
    const lengths = [3, 18, 1, 9];
    const rest = { headDim: 24, numHeads: 4, numKeyHeads: 2 };
    const problem = problemOf(31, 18, rest);
    const qkv = new Random(3).floats(31 * problem.queryStride);
    const together = await run(problem, qkv, tokenTable(lengths));
    let start = 0;
    for (const length of lengths) {
      const end = start + length;
      const own = qkv.slice(start * problem.queryStride, end * problem.queryStride);
      const alone = await run(problemOf(length, length, rest), own, tokenTable([length]));
      expectSameBits({ out: together.slice(start * 96, end * 96) }, { out: alone });
      start = end;
    }
  });
});

describe('attention', () => {
  it.each([
    problemOf(70, 33, { headDim: 64, numHeads: 4, numKeyHeads: 4, causal: false }),
    problemOf(150, 150, { headDim: 24, numHeads: 2 }),
    problemOf(90, 90, { headDim: 7, window: 5 }),
  ])('gives the bits of the reference by every variant where it is portable: %j', async (sizes) => {
    const problem = { ...sizes, portable: true };
    const random = new Random(11);
    const qkv = random.floats(problem.numTokens * problem.queryStride).map((value) => 4 * value);
    const operands = fused(
      problem,
      qkv,
      tokenTable(randomRows(problem.numTokens, problem.maxRowTokens, random)),
    );
    const out = new Float32Array(operands['out']?.length ?? 0);
    ops.attention.reference(problem, { ...operands, out });
    for (const variant of variants.filter((one) => one.fits(problem, defaultCaps))) {
      expectSameBits(await runVariant(contract, variant, problem, operands), { out });
    }
  });

  it('gives the same bits by every variant at rows of 346 tokens', async () => {
    const problem = problemOf(400, 346, { headDim: 64, numHeads: 3, numKeyHeads: 1 });
    const operands = fused(problem, new Random(5).floats(400 * problem.queryStride), tokenTable([54, 346]));
    const [first, ...others] = variants.filter((variant) => variant.fits(problem, defaultCaps));
    if (!first) throw new Error('no variant fits');
    const expected = await runVariant(contract, first, problem, operands);
    for (const other of others)
      expectSameBits(await runVariant(contract, other, problem, operands), expected);
  });
});

/** A score that is no number must be seen in the end: a clamp or a maximum may drop it. */
it.each(variants.map((variant) => [variant.id, variant] as const))(
  '%s gives no number to the queries that see a key of none, and its bits to all others',
  async (_id, variant) => {
    for (const place of [0, 4, 12]) {
      const problem = problemOf(20, 11, { numKeyHeads: 2, window: 5, portable: place === 4 });
      const operands = fused(
        problem,
        new Random(3).floats(20 * problem.queryStride, 'uniform'),
        tokenTable([9, 11]),
      );
      const whole = await runVariant(contract, variant, problem, operands);
      (operands.q as Float32Array)[problem.keyOffset + place * problem.keyStride] = NaN;
      // Causal, in the row of the key, within the window; the first of two heads.
      const sees = (query: number): boolean => query >= place && query - place < 5 && query < 9 === place < 9;
      const expected = (whole.out ?? new Float32Array()).map((value, i) =>
        sees(Math.floor(i / 16)) && i % 16 < 8 ? NaN : value,
      );
      expect(expected.some(Number.isNaN) && !expected.every(Number.isNaN)).toBe(true);
      expectSameBits(await runVariant(contract, variant, problem, operands), { out: expected });
    }
  },
);
