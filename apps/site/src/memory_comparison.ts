import type { MemoryCategory, MemoryReport, PlanBytes } from 'tromino';

/** Planned against measured bytes of one category, or of all together. */
export interface ComparedBytes {
  readonly name: string;
  readonly plannedBytes: number;
  /** Undefined before the first decision, when not everything has been asked for yet. */
  readonly measuredBytes: number | undefined;
}

/** What each category of bytes is for. */
const categoryNames: Readonly<Record<MemoryCategory, string>> = {
  weights: 'weights',
  workspace: 'workspace',
  uniforms: 'uniforms',
  constants: 'constants',
  inputs: 'inputs',
  readback: 'readback',
};

/**
 * Sets what a plan promised beside what the runtime really had at the highest point.
 * @param measured the report after a decision; undefined before the first.
 */
export function compareMemory(
  planned: PlanBytes,
  measured: MemoryReport | undefined,
): { readonly categories: readonly ComparedBytes[]; readonly total: ComparedBytes } {
  const names = Object.keys(categoryNames) as MemoryCategory[];
  return {
    categories: names.map((category) => ({
      name: categoryNames[category],
      plannedBytes: planned[category],
      measuredBytes: measured?.categories[category].peakBytes,
    })),
    total: { name: 'together', plannedBytes: planned.peak, measuredBytes: measured?.peakBytes },
  };
}
