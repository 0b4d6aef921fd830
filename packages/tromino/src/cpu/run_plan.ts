import { batchInputs, type PackedBatch } from '../graph/batch.ts';
import { materialiseConstant } from '../graph/constants.ts';
import { ops, type OpDefinition, type OperandArrays, type Problem } from '../kernels/index.ts';
import { stepOutput, type ArenaRef, type BufferRef, type DispatchStep, type Plan } from '../plan/plan.ts';
import type { DType } from '../tensor/dtype.ts';
import { abortable, throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';

/** Milliseconds of computing between two looks at the signal and at the event loop. */
const sliceMs = 12;

/** Storage for one run of a plan in ordinary arrays. */
export interface PlanArrays {
  readonly constants: readonly (Float32Array | Uint32Array)[];
  readonly arenas: readonly Float32Array[];
  readonly readback: Float32Array;
}

/** How a run goes beside its numbers. */
export interface RunOptions {
  /** Hears of each dispatch with a copy of what it wrote. */
  readonly onStep?:
    | ((tapped: { index: number; step: DispatchStep; values: Float32Array }) => void | Promise<void>)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Allocates what the plan says, and nothing else. */
export function allocatePlanArrays(plan: Plan): PlanArrays {
  return {
    constants: plan.constants.map(({ recipe }) => materialiseConstant(recipe)),
    arenas: plan.arenas.map(({ sizeBytes }) => new Float32Array(sizeBytes / 4)),
    readback: new Float32Array(plan.bytes.readback / 4),
  };
}

/**
 * Runs a plan's steps on the kernels' f64 references: the portable oracle, and the fallback where there is no GPU. It uses the same workspace
 * as the GPU does, so a plan that shares storage wrongly is wrong here too.
 * @param weightOf the elements of a planned weight, by its index in the plan.
 */
export async function runPlan(
  plan: Plan,
  arrays: PlanArrays,
  weightOf: (index: number) => Float32Array | Uint32Array,
  batch: PackedBatch,
  { onStep, signal }: RunOptions,
): Promise<Float32Array> {
  const inputs = batchInputs(batch);
  const arrayOf = (ref: BufferRef): Float32Array | Uint32Array => {
    const { index } = ref;
    switch (ref.kind) {
      case 'weight':
        return weightOf(index);
      case 'constant':
        return must(arrays.constants[index], 'constant');
      case 'input':
        return must(inputs[must(plan.inputs[index], 'input').name], 'input');
      case 'arena':
        return elementsOf(must(arrays.arenas[index], 'arena'), ref);
      case 'readback':
        return arrays.readback;
    }
  };
  let sliceEnd = performance.now() + sliceMs;
  for (const [index, step] of plan.steps.entries()) {
    throwIfAborted(signal);
    if (step.kind === 'dispatch') {
      computeStep(step, arrayOf);
      const { ref, sizeBytes } = stepOutput(step);
      const written = arrayOf(ref).subarray(0, sizeBytes / 4);
      if (onStep) {
        // A copy of the bytes, not of the numbers: packed codes may look like a NaN, whose bits a conversion need not keep.
        const values = new Float32Array(written.slice().buffer);
        await abortable(Promise.resolve(onStep({ index, step, values })), signal);
      }
    } else {
      const from = arrayOf(step.from).subarray(0, step.sizeBytes / 4);
      arrayOf(step.to).set(from, step.toOffsetBytes / 4);
    }
    if (performance.now() < sliceEnd) continue;
    await new Promise((resolve) => setTimeout(resolve));
    sliceEnd = performance.now() + sliceMs;
  }
  return arrays.readback.slice();
}

function elementsOf(arena: Float32Array, { offsetBytes, sizeBytes }: ArenaRef): Float32Array {
  return arena.subarray(offsetBytes / 4, (offsetBytes + sizeBytes) / 4);
}

function computeStep(step: DispatchStep, arrayOf: (ref: BufferRef) => Float32Array | Uint32Array): void {
  const definition: OpDefinition<Problem> = ops[step.op];
  const operands: Record<string, OperandArrays[string]> = {};
  definition.contract.operands.forEach(({ name, dtype }, index) => {
    operands[name] = viewAs(dtype, arrayOf(must(step.operands[index], name)[0]));
  });
  definition.reference(step.problem, operands);
}

/** The same bytes as elements of another type: a slot may hold packed codes now and floats later. */
function viewAs(dtype: DType, values: Float32Array | Uint32Array): Float32Array | Uint32Array {
  const { buffer, byteOffset, length } = values;
  if (dtype === 'u32')
    return values instanceof Uint32Array ? values : new Uint32Array(buffer, byteOffset, length);
  return values instanceof Float32Array ? values : new Float32Array(buffer, byteOffset, length);
}
