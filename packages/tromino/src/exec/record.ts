import type { Pipeline } from '../gpu/pipelines.ts';
import { ops, parameterBlockBytes, type OpDefinition, type Problem } from '../kernels/index.ts';
import type { CopyStep, DispatchStep, Plan } from '../plan/plan.ts';
import { must } from '../util/assert.ts';
import type { BufferRange, PlanBuffers } from './plan_buffers.ts';

/** One dispatch with everything made beforehand, so that submitting is a tight loop of native calls. */
export interface RecordedDispatch {
  readonly kind: 'dispatch';
  readonly step: DispatchStep;
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  /** The one dynamic offset: where this dispatch's parameters are in the uniform buffer. */
  readonly uniformOffsets: readonly [number];
  readonly workgroups: readonly [number, number];
}

/** One copy from the beginning of a range. */
export interface RecordedCopy {
  readonly kind: 'copy';
  readonly source: BufferRange;
  readonly destination: GPUBuffer;
  readonly destinationOffset: number;
  readonly sizeBytes: number;
}

/** One operation of a recording. */
export type RecordedOperation = RecordedDispatch | RecordedCopy;

/** What a run does, in order. Unlike a GPUCommandBuffer it can be submitted any number of times. */
export type Recording = readonly RecordedOperation[];

/** The dispatches of a recording, in order. */
export function dispatchesOf(recording: Recording): RecordedDispatch[] {
  return recording.filter((operation) => operation.kind === 'dispatch');
}

/**
 * Makes the bind groups of a plan's steps.
 * @param pipelines one for each dispatch, in step order.
 */
export function recordPlan(
  device: GPUDevice,
  plan: Plan,
  buffers: PlanBuffers,
  pipelines: readonly Pipeline[],
): Recording {
  let dispatches = 0;
  return plan.steps.map((step) => {
    if (step.kind === 'copy') return recordCopy(step, buffers);
    return recordDispatch(device, step, buffers, must(pipelines[dispatches++], step.variant));
  });
}

function recordCopy({ from, to, toOffsetBytes, sizeBytes }: CopyStep, buffers: PlanBuffers): RecordedCopy {
  return {
    kind: 'copy',
    source: buffers.of(from),
    destination: buffers.of(to).buffer,
    destinationOffset: toOffsetBytes,
    sizeBytes,
  };
}

function recordDispatch(
  device: GPUDevice,
  step: DispatchStep,
  buffers: PlanBuffers,
  { pipeline, layout }: Pipeline,
): RecordedDispatch {
  const definition: OpDefinition<Problem> = ops[step.op];
  const bindGroup = device.createBindGroup({
    label: step.label,
    layout,
    entries: [
      {
        binding: 0,
        resource: { buffer: buffers.uniforms, size: parameterBlockBytes(definition.contract) },
      },
      ...step.operands.map(([ref], index) => ({
        binding: index + 1,
        resource: buffers.of(ref),
      })),
    ],
  });
  const { uniformOffsetBytes, workgroups } = step;
  return { kind: 'dispatch', step, pipeline, bindGroup, uniformOffsets: [uniformOffsetBytes], workgroups };
}
