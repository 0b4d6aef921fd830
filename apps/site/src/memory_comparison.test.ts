import { describe, expect, it } from 'vitest';
import { compareMemory } from './memory_comparison.ts';

const planned = { weights: 40, workspace: 10, uniforms: 3, constants: 2, inputs: 4, readback: 1, peak: 60 };

function use(peakBytes: number): { currentBytes: number; peakBytes: number } {
  return { currentBytes: 0, peakBytes };
}

describe('compareMemory', () => {
  it("sets each category's highest point beside its plan, and the whole beside the whole", () => {
    const { categories, total } = compareMemory(planned, {
      currentBytes: 40,
      peakBytes: 61,
      liveBuffers: 1,
      categories: {
        weights: use(40),
        workspace: use(11),
        uniforms: use(3),
        constants: use(2),
        inputs: use(4),
        readback: use(1),
      },
    });
    expect(categories.map(({ name }) => name)).toEqual([
      'weights',
      'workspace',
      'uniforms',
      'constants',
      'inputs',
      'readback',
    ]);
    expect(categories[1]).toEqual({ name: 'workspace', plannedBytes: 10, measuredBytes: 11 });
    expect(total).toEqual({ name: 'together', plannedBytes: 60, measuredBytes: 61 });
  });

  it('measures nothing before the first decision', () => {
    const { categories, total } = compareMemory(planned, undefined);
    expect([...categories, total].every(({ measuredBytes }) => measuredBytes === undefined)).toBe(true);
  });
});
