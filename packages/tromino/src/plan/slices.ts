import type { PlannedSlice, PlanStep } from './plan.ts';

/**
 * Cuts the steps after every `layersPerSlice` layers. What comes before the first layer goes with the first slice, the head and the
 * copies with the last: between two slices the residual is the only thing that goes on, in the place that it has anyway.
 */
export function planSlices(steps: readonly PlanStep[], layersPerSlice: number | 'all'): PlannedSlice[] {
  const numLayers = steps.reduce(
    (most, step) => (step.kind === 'dispatch' ? Math.max(most, step.layer) : most),
    0,
  );
  const perSlice = layersPerSlice === 'all' ? Math.max(numLayers, 1) : layersPerSlice;
  const lastSlice = Math.max(Math.ceil(numLayers / perSlice) - 1, 0);
  const sliceOf = (step: PlanStep): number => {
    if (step.kind !== 'dispatch') return lastSlice;
    return Math.min(Math.floor(Math.max(step.layer, 0) / perSlice), lastSlice);
  };
  const slices: PlannedSlice[] = [];
  let firstStep = 0;
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    if (next && sliceOf(next) === sliceOf(step)) return;
    slices.push({ firstStep, endStep: index + 1 });
    firstStep = index + 1;
  });
  return slices;
}
