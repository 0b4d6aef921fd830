import type { GpuContext } from '../gpu/device.ts';
import type { Pipeline } from '../gpu/pipelines.ts';
import { ops, type OpDefinition, type Problem } from '../kernels/index.ts';
import type { DispatchStep, Plan } from '../plan/plan.ts';
import { variantById } from '../plan/variants.ts';

/** In step order. All are asked for at once, so that the compiler can work on several. */
export function pipelinesOf(plan: Plan, context: GpuContext): Promise<Pipeline[]> {
  const dispatches = plan.steps.filter((step): step is DispatchStep => step.kind === 'dispatch');
  return Promise.all(
    dispatches.map(({ op, variant, overrides }) => {
      const definition: OpDefinition<Problem> = ops[op];
      return context.pipelines.get(definition.contract, variantById(op, variant), overrides);
    }),
  );
}

/**
 * Has a plan's kernels compiled while something else is done, and waits for none of it. It is a guess at what the first call will need: what
 * goes wrong with it is no fault yet, and is told by the call that needs the kernel.
 */
export function compileAhead(makePlan: () => Plan, context: GpuContext): void {
  try {
    pipelinesOf(makePlan(), context).catch(() => undefined);
  } catch {
    // A shape for which this model has no plan, as where a variant that was insisted on does not fit it.
  }
}
