import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ops, type RelativeAttentionProblem } from '../index.ts';
import { runVariant } from '../testing/device.ts';
import { Random } from '../testing/random.ts';
import { describeKernel, expectSameBits, sizes } from '../testing/suite.ts';

const { contract, variants } = ops.relative_attention;

/** A problem over rows no longer than `maxRowTokens`, read from one fused projection as models do. */
function problemOf(
  numTokens: number,
  maxRowTokens: number,
  rest: Partial<RelativeAttentionProblem> = {},
): RelativeAttentionProblem {
  const { numHeads = 2, headDim = 8 } = rest;
  const width = numHeads * headDim;
  return {
    numTokens,
    numHeads,
    headDim,
    scale: 1 / Math.sqrt(3 * headDim),
    queryStride: 3 * width,
    queryOffset: 0,
    keyStride: 3 * width,
    keyOffset: width,
    valueStride: 3 * width,
    valueOffset: 2 * width,
    maxRowTokens,
    numPositions: maxRowTokens,
    numBuckets: 12,
    hasBias: true,
    hasBucketKeys: true,
    hasBucketQueries: true,
    bucketStride: 3 * width,
    bucketKeyOffset: width,
    bucketQueryOffset: 0,
    ...rest,
  };
}

/** The token table of rows of these lengths. */
function tokenTable(lengths: readonly number[]): Uint32Array {
  const fields: number[] = [];
  let start = 0;
  lengths.forEach((length, row) => {
    for (let i = 0; i < length; i++) fields.push(start, start + length, i, row);
    start += length;
  });
  return Uint32Array.from(fields);
}

/** Full rows, and what is left over. */
function rowsOf(numTokens: number, maxRowTokens: number): number[] {
  const full = new Array<number>(Math.floor(numTokens / maxRowTokens)).fill(maxRowTokens);
  return numTokens % maxRowTokens === 0 ? full : [numTokens % maxRowTokens, ...full];
}

/** An exponential turns the absolute error of a large score into a relative one: beyond this no tolerance would mean anything. */
function moderate(values: Float32Array): Float32Array {
  return values.map((value) => Math.min(Math.max(value, -2), 2));
}

const ragged = problemOf(45, 14, { headDim: 24, numHeads: 3 });

describeKernel<RelativeAttentionProblem>(
  {
    definition: ops.relative_attention,
    problems: fc
      .record({
        numTokens: sizes(140),
        maxRowTokens: sizes(140),
        numHeads: fc.constantFrom(1, 3),
        headDim: fc.constantFrom(7, 8, 80),
        hasBias: fc.boolean(),
        hasBucketKeys: fc.boolean(),
        hasBucketQueries: fc.boolean(),
      })
      .map(({ numTokens, maxRowTokens, ...rest }) =>
        problemOf(numTokens, Math.min(maxRowTokens, numTokens), rest),
      ),
    inputs: (problem, random, kind) => {
      const { bias, bucket_states: states } = contract.operandLengths(problem);
      return {
        q: moderate(random.floats(problem.numTokens * problem.queryStride, kind)),
        k: moderate(random.floats(problem.numTokens * problem.keyStride, kind)),
        v: random.floats(problem.numTokens * problem.valueStride, kind),
        tokens: tokenTable(rowsOf(problem.numTokens, problem.maxRowTokens)),
        buckets: random.indices(2 * problem.numPositions - 1, problem.numBuckets),
        ...(bias === undefined ? {} : { bias: moderate(random.floats(bias, kind)) }),
        ...(states === undefined ? {} : { bucket_states: moderate(random.floats(states, kind)) }),
      };
    },
    always: [problemOf(1, 1), ragged, problemOf(130, 130, { headDim: 256, numHeads: 1 })],
    folding: [ragged],
    twins: [
      {
        variant: 'relative_attention_row_f32',
        from: 'weights[i] = weight;',
        to: 'weights[i] = weight * 1.01;',
        problem: ragged,
      },
      {
        variant: 'relative_attention_row_f32',
        from: 'params.bucket_query_offset + i',
        to: 'params.bucket_key_offset + i',
        problem: ragged,
      },
      {
        variant: 'relative_attention_any_f32',
        from: 'tokens[query].z + params.num_positions - 1u - tokens[key].z',
        to: 'tokens[key].z + params.num_positions - 1u - tokens[query].z',
        problem: ragged,
      },
      {
        variant: 'relative_attention_any_f32',
        from: 'params.num_heads + head];',
        to: 'params.num_heads];',
        problem: ragged,
      },
    ],
  },
  8,
);

describe.each(variants)('$id', (variant) => {
  it('gives a row of a ragged batch the bits that it has alone', async () => {
    const lengths = [3, 18, 1, 9];
    const together = problemOf(31, 18);
    const random = new Random(3);
    const qkv = random.floats(31 * together.queryStride);
    const common = {
      bias: random.floats(together.numBuckets * together.numHeads),
      bucket_states: random.floats(together.numBuckets * together.bucketStride),
    };
    const run = async (
      problem: RelativeAttentionProblem,
      rows: Float32Array,
      tokens: Uint32Array,
    ): Promise<Float32Array> => {
      // The bucket of a distance does not depend on how long the batch's longest row is.
      const buckets = Uint32Array.from(
        { length: 2 * problem.numPositions - 1 },
        (_, i) => (i + 1000 - problem.numPositions) % problem.numBuckets,
      );
      const out = new Float32Array(contract.operandLengths(problem).out ?? 0).fill(NaN);
      const operands = { q: rows, k: rows, v: rows, tokens, buckets, ...common, out };
      return (await runVariant(contract, variant, problem, operands)).out ?? new Float32Array();
    };
    const all = await run(together, qkv, tokenTable(lengths));
    let start = 0;
    for (const length of lengths) {
      const end = start + length;
      const own = qkv.slice(start * together.queryStride, end * together.queryStride);
      const alone = await run(problemOf(length, length), own, tokenTable([length]));
      expect(alone.length).toBe(length * 16);
      expectSameBits({ out: all.slice(start * 16, end * 16) }, { out: alone });
      start = end;
    }
  });
});

/** A score that is no number must be seen in the end: a clamp or a maximum may drop it. */
it.each(variants.map((variant) => [variant.id, variant] as const))(
  '%s gives no number to the queries that see a key of none, and its bits to all others',
  async (_id, variant) => {
    const problem = problemOf(20, 11, { hasBucketKeys: false, hasBucketQueries: false });
    const random = new Random(3);
    const qkv = random.floats(20 * problem.queryStride);
    const operands = {
      q: qkv,
      k: qkv,
      v: qkv,
      tokens: tokenTable([9, 11]),
      buckets: random.indices(2 * problem.numPositions - 1, problem.numBuckets),
      bias: random.floats(problem.numBuckets * problem.numHeads),
      out: new Float32Array(20 * 16),
    };
    const whole = await runVariant(contract, variant, problem, operands);
    qkv[problem.keyOffset + 12 * problem.keyStride] = NaN;
    // The second row's queries see it, with the first of two heads.
    const expected = whole.out?.map((value, i) => (i >= 9 * 16 && i % 16 < 8 ? NaN : value));
    expectSameBits(await runVariant(contract, variant, problem, operands), {
      out: expected ?? new Float32Array(),
    });
  },
);
