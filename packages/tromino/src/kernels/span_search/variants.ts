import type { KernelVariant } from '../op.ts';
import type { SpanSearchProblem } from './contract.ts';
import wgsl from './span_search_f32.wgsl?raw';

/** One row per workgroup. */
const spanSearchF32: KernelVariant<SpanSearchProblem> = {
  id: 'span_search_f32',
  wgsl,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: (p) => p.numRows,
};

/** Best first. */
export const spanSearchVariants: readonly KernelVariant<SpanSearchProblem>[] = [spanSearchF32];
