import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveFloorBytes, type Lifetime } from './lifetimes.ts';
import { assignSlots } from './slots.ts';

const lifetimes = fc
  .array(
    fc.record({
      firstNode: fc.nat(20),
      span: fc.integer({ min: 1, max: 6 }),
      words: fc.integer({ min: 1, max: 9 }),
    }),
    {
      maxLength: 24,
    },
  )
  .map((all) =>
    all.map(({ firstNode, span, words }, value): Lifetime => ({
      value,
      sizeBytes: words * 4,
      firstNode,
      lastNode: firstNode + span,
    })),
  );

describe('assignSlots', () => {
  it('never lets two values that are alive at the same node share a slot, and makes every slot large enough', () => {
    fc.assert(
      fc.property(lifetimes, (all) => {
        const { slotOf, sizesBytes } = assignSlots(all, 'on');
        for (const a of all) {
          expect(sizesBytes[slotOf.get(a.value) ?? -1]).toBeGreaterThanOrEqual(a.sizeBytes);
          for (const b of all) {
            if (a.value >= b.value || slotOf.get(a.value) !== slotOf.get(b.value)) continue;
            expect(a.lastNode < b.firstNode || b.lastNode < a.firstNode).toBe(true);
          }
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('gives equal assignments for equal lifetimes', () => {
    fc.assert(
      fc.property(lifetimes, (all) => {
        expect(assignSlots(all, 'on')).toEqual(assignSlots(all, 'on'));
      }),
      { seed: 2, numRuns: 50 },
    );
  });

  it('does not share the storage of an input with the output that is written from it', () => {
    const chain = [0, 1, 2, 3].map((value): Lifetime => ({
      value,
      sizeBytes: 8,
      firstNode: value,
      lastNode: value + 1,
    }));
    const { slotOf, sizesBytes } = assignSlots(chain, 'on');
    expect(sizesBytes).toEqual([8, 8]);
    expect([0, 1, 2, 3].map((value) => slotOf.get(value))).toEqual([0, 1, 0, 1]);
  });

  it('gives every value its own slot when reuse is off', () => {
    const chain = [0, 1, 2].map((value): Lifetime => ({
      value,
      sizeBytes: 4,
      firstNode: value,
      lastNode: value + 1,
    }));
    expect(assignSlots(chain, 'off').sizesBytes).toEqual([4, 4, 4]);
  });
});

describe('liveFloorBytes', () => {
  it('is the largest sum alive at one node', () => {
    const all: Lifetime[] = [
      { value: 0, sizeBytes: 100, firstNode: 0, lastNode: 5 },
      { value: 1, sizeBytes: 10, firstNode: 1, lastNode: 2 },
      { value: 2, sizeBytes: 20, firstNode: 2, lastNode: 3 },
      { value: 3, sizeBytes: 25, firstNode: 4, lastNode: 5 },
    ];
    expect(liveFloorBytes(all)).toBe(130);
  });
});
