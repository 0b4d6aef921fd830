import { describe, expect, it } from 'vitest';
import type { RelativeAttentionProblem } from './contract.ts';
import { relativeAttentionReference } from './reference.ts';

/** One head of size 1: q, k and v are one number per token each, side by side. Every distance has a bucket of its own. */
const single: RelativeAttentionProblem = {
  numTokens: 2,
  numHeads: 1,
  headDim: 1,
  scale: 1,
  queryStride: 3,
  queryOffset: 0,
  keyStride: 3,
  keyOffset: 1,
  valueStride: 3,
  valueOffset: 2,
  maxRowTokens: 2,
  numPositions: 2,
  numBuckets: 3,
  hasBias: false,
  hasBucketKeys: false,
  hasBucketQueries: false,
  bucketStride: 2,
  bucketKeyOffset: 0,
  bucketQueryOffset: 1,
};
const tokens = Uint32Array.of(0, 2, 0, 0, 0, 2, 1, 0);
const buckets = Uint32Array.of(0, 1, 2);

function attend(problem: Partial<RelativeAttentionProblem>, more: Record<string, Float32Array>): number[] {
  const qkv = Float32Array.of(2, 0, 8, 2, 0, 16);
  const out = new Float32Array(2).fill(NaN);
  relativeAttentionReference(
    { ...single, ...problem },
    { q: qkv, k: qkv, v: qkv, tokens, buckets, ...more, out },
  );
  return [...out];
}

describe('relativeAttentionReference', () => {
  it('adds the bias of the distance from key to query', () => {
    // Query 0 sees key 1 at distance -1, bucket 0; query 1 sees key 0 at distance 1, bucket 2.
    const [first, second] = attend({ hasBias: true }, { bias: Float32Array.of(Math.log(3), 0, Math.log(7)) });
    expect(first).toBeCloseTo((8 + 3 * 16) / 4, 5);
    expect(second).toBeCloseTo((7 * 8 + 16) / 8, 5);
  });

  it("adds the query's product with the key of the bucket, scaled", () => {
    const states = Float32Array.of(Math.log(3), 99, 0, 99, Math.log(7), 99);
    const [first, second] = attend({ hasBucketKeys: true, scale: 0.5 }, { bucket_states: states });
    expect(first).toBeCloseTo((8 + 3 * 16) / 4, 5);
    expect(second).toBeCloseTo((7 * 8 + 16) / 8, 5);
  });

  it("adds the key's product with the query of the bucket", () => {
    // All keys are 0 but for key 0, which is 1.
    const qkv = Float32Array.of(0, 1, 8, 0, 0, 16);
    const states = Float32Array.of(99, 5, 99, 0, 99, Math.log(7));
    const [first, second] = attend({ hasBucketQueries: true }, { q: qkv, k: qkv, bucket_states: states });
    expect(first).toBe(12);
    expect(second).toBeCloseTo((7 * 8 + 16) / 8, 5);
  });
});
