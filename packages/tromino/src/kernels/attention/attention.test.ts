import { describe, expect, it } from 'vitest';
import { defaultCaps } from '../caps.ts';
import type { AttentionProblem } from './contract.ts';
import { attentionReference } from './reference.ts';
import { attentionVariants } from './variants.ts';

/** One head of size 1: q, k and v are one number per token each, side by side. */
const single: AttentionProblem = {
  numTokens: 3,
  numHeads: 1,
  numKeyHeads: 1,
  headDim: 1,
  scale: 1,
  causal: true,
  window: 0,
  queryStride: 3,
  queryOffset: 0,
  keyStride: 3,
  keyOffset: 1,
  valueStride: 3,
  valueOffset: 2,
  maxRowTokens: 3,
  portable: false,
};
const oneRow = Uint32Array.of(0, 3, 0, 0, 0, 3, 1, 0, 0, 3, 2, 0);

function attend(problem: AttentionProblem, qkv: Float32Array, tokens: Uint32Array): number[] {
  const out = new Float32Array(problem.numTokens * problem.numHeads * problem.headDim).fill(NaN);
  attentionReference(problem, { q: qkv, k: qkv, v: qkv, tokens, out });
  return [...out];
}

describe('attentionReference', () => {
  // Query 1 and key log(1), log(3), log(4): the weights are in the proportion 1 : 3 : 4.
  const qkv = Float32Array.of(1, 0, 8, 1, Math.log(3), 16, 1, Math.log(4), 32);

  it('weighs values by the exponentials of the scores', () => {
    const [first, second, third] = attend({ ...single, causal: false }, qkv, oneRow);
    for (const found of [first, second, third]) expect(found).toBeCloseTo((8 + 3 * 16 + 4 * 32) / 8, 5);
  });

  it('lets a causal query see no later key', () => {
    const [first, second, third] = attend(single, qkv, oneRow);
    expect(first).toBe(8);
    expect(second).toBeCloseTo((8 + 3 * 16) / 4, 5);
    expect(third).toBeCloseTo(23, 5);
  });

  it('lets a query see only keys nearer than the window', () => {
    const [first, second, third] = attend({ ...single, window: 2 }, qkv, oneRow);
    expect(first).toBe(8);
    expect(second).toBeCloseTo(14, 5);
    expect(third).toBeCloseTo((3 * 16 + 4 * 32) / 7, 5);
  });

  it('keeps rows of a batch apart', () => {
    const twoRows = Uint32Array.of(0, 1, 0, 0, 1, 3, 0, 1, 1, 3, 1, 1);
    const [first, second, third] = attend(single, qkv, twoRows);
    expect([first, second]).toEqual([8, 16]);
    expect(third).toBeCloseTo((3 * 16 + 4 * 32) / 7, 5);
  });

  it('shares a key head among a group of query heads', () => {
    // Per token: four query heads, two key heads, two value heads.
    const problem = {
      ...single,
      numTokens: 1,
      numHeads: 4,
      numKeyHeads: 2,
      queryStride: 8,
      keyStride: 8,
      valueStride: 8,
    };
    const row = Float32Array.of(1, 1, 1, 1, 0, 0, 5, 6);
    expect(attend({ ...problem, keyOffset: 4, valueOffset: 6 }, row, Uint32Array.of(0, 1, 0, 0))).toEqual([
      5, 5, 6, 6,
    ]);
  });

  it('stays finite with scores of 1e38 and -1e38, and gives zeros where no key is allowed', () => {
    const far = Float32Array.of(1e19, 1e19, 4, 1e19, -1e19, 5, 1e19, 1e19, 6);
    expect(attend({ ...single, causal: false }, far, oneRow)).toEqual([5, 5, 5]);
    expect(
      attend({ ...single, causal: false }, far, Uint32Array.of(1, 1, 0, 0, 1, 2, 0, 1, 2, 3, 0, 2)),
    ).toEqual([0, 5, 6]);
  });
});

describe('attentionVariants', () => {
  const choice = (sizes: Partial<AttentionProblem>): string | undefined => {
    const problem = {
      ...single,
      headDim: 64,
      keyStride: 192,
      keyOffset: 64,
      valueStride: 192,
      valueOffset: 128,
      maxRowTokens: 346,
      ...sizes,
    };
    return attentionVariants.find((variant) => variant.fits(problem, defaultCaps))?.id;
  };

  it.each([
    [{}, 'attention_tile8_f32'],
    [{ maxRowTokens: 449 }, 'attention_tile4_f32'],
    [{ maxRowTokens: 961 }, 'attention_any_f32'],
    [{ headDim: 256, maxRowTokens: 256 }, 'attention_tile8_f32'],
    [{ headDim: 256, maxRowTokens: 257 }, 'attention_tile4_f32'],
    [{ headDim: 1024, maxRowTokens: 1 }, 'attention_any_f32'],
    [{ headDim: 7 }, 'attention_any_f32'],
    [{ keyOffset: 66 }, 'attention_any_f32'],
    [{ valueOffset: 66 }, 'attention_any_f32'],
  ])('computes %j by %s', (sizes, id) => {
    expect(choice(sizes)).toBe(id);
  });

  it.each(attentionVariants)(
    '$id makes no more than three pipelines for a head size, whatever the rows',
    (variant) => {
      const made = new Set<string>();
      for (let maxRowTokens = 1; maxRowTokens <= 1000; maxRowTokens++) {
        const problem = {
          ...single,
          headDim: 64,
          keyStride: 192,
          keyOffset: 64,
          valueStride: 192,
          valueOffset: 128,
        };
        const sized = { ...problem, maxRowTokens };
        if (variant.fits(sized, defaultCaps)) made.add(JSON.stringify(variant.overrides(sized, defaultCaps)));
      }
      expect(made.size).toBeLessThanOrEqual(3);
    },
  );
});
