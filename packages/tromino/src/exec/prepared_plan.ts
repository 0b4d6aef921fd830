import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import { createOwnedBuffer, type OwnedBuffer } from '../gpu/ledger.ts';
import type { Pipeline } from '../gpu/pipelines.ts';
import type { PackedBatch } from '../graph/batch.ts';
import { materialiseConstant } from '../graph/constants.ts';
import { ops, parameterBlockBytes, type OpDefinition, type Problem } from '../kernels/index.ts';
import type { BufferRef, DispatchStep, Plan } from '../plan/plan.ts';
import { variantById } from '../plan/variants.ts';
import { must } from '../util/assert.ts';
import type { MemoryAccount, MemoryCategory } from '../util/memory_account.ts';
import type { RecordedOperation, Recording } from './record.ts';
import { submit } from './submit.ts';
import type { WeightStore } from './weight_store.ts';

/** The plan's buffers by kind, in the plan's order. */
interface PlanBuffers {
  readonly uniforms: OwnedBuffer;
  readonly constants: readonly OwnedBuffer[];
  readonly inputs: readonly OwnedBuffer[];
  readonly slots: readonly OwnedBuffer[];
  readonly readback: OwnedBuffer;
}

/** A plan with everything that its runs need: buffers, pipelines, bind groups and the recording. */
export class PreparedPlan {
  readonly plan: Plan;
  readonly #context: GpuContext;
  readonly #owned: OwnedBuffer[] = [];
  #buffers: PlanBuffers | undefined;
  #recording: Recording = [];

  private constructor(plan: Plan, context: GpuContext) {
    this.plan = plan;
    this.#context = context;
  }

  /**
   * @throws OutOfMemoryError before anything is allocated if the budget does not allow it, or after everything was given back if the device
   * does not; GpuError where a kernel does not compile; DeviceLostError.
   */
  static async create(
    plan: Plan,
    context: GpuContext,
    account: MemoryAccount,
    weights: WeightStore,
  ): Promise<PreparedPlan> {
    const { workspace, uniforms, constants, inputs, readback } = plan.bytes;
    const parts = { workspace, uniforms, constants, inputs, readback };
    account.requireRoomFor('run', parts);
    const prepared = new PreparedPlan(plan, context);
    try {
      const pipelines = await context.guard(prepared.#pipelines());
      const neededBytes = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
      const building = withErrorScopes(context.device, 'run', neededBytes, () => {
        const buffers = prepared.#allocate(account);
        prepared.#writeConstants(buffers);
        prepared.#recording = prepared.#record(buffers, weights, pipelines);
        prepared.#buffers = buffers;
      });
      await context.guard(building);
      return prepared;
    } catch (error) {
      prepared.dispose();
      context.throwIfLost();
      throw error;
    }
  }

  /**
   * Submits the recording for this batch and waits for the fence: the mapping of the readback copy that ends the submission.
   * @throws GpuError or OutOfMemoryError as the submission's error scopes report; DeviceLostError; never zeros in place of scores.
   */
  async run(batch: PackedBatch): Promise<Float32Array> {
    const { device } = this.#context;
    const buffers = must(this.#buffers, 'prepared buffers');
    const readback = buffers.readback.buffer;
    const submission = withErrorScopes(device, 'submission', this.plan.bytes.peak, () => {
      this.#writeInputs(buffers, batch);
      submit(device, this.#recording);
    });
    const fence = readback.mapAsync(GPUMapMode.READ);
    try {
      // The submission's own error says more than the failed mapping that follows from it.
      fence.catch(() => undefined);
      await this.#context.guard(submission);
      await this.#context.guard(fence);
    } catch (error) {
      this.#context.throwIfLost();
      throw error;
    }
    const scores = new Float32Array(readback.getMappedRange().slice(0));
    readback.unmap();
    return scores.subarray(0, this.plan.bytes.readback / 4);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.destroy();
    this.#owned.length = 0;
    this.#recording = [];
    this.#buffers = undefined;
  }

  /** In step order. All are asked for at once, so that the compiler can work on several. */
  #pipelines(): Promise<Pipeline[]> {
    const dispatches = this.plan.steps.filter((step): step is DispatchStep => step.kind === 'dispatch');
    return Promise.all(
      dispatches.map(({ op, variant, overrides }) => {
        const definition: OpDefinition<Problem> = ops[op];
        return this.#context.pipelines.get(definition.contract, variantById(op, variant), overrides);
      }),
    );
  }

  #allocate(account: MemoryAccount): PlanBuffers {
    const { plan } = this;
    const create = (
      label: string,
      category: MemoryCategory,
      sizeBytes: number,
      usage: GPUBufferUsageFlags,
    ): OwnedBuffer => {
      const owned = createOwnedBuffer(this.#context.device, account, { label, category, sizeBytes, usage });
      this.#owned.push(owned);
      return owned;
    };
    const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
    return {
      uniforms: create('uniforms', 'uniforms', plan.bytes.uniforms, UNIFORM | COPY_DST),
      constants: plan.constants.map(({ recipe, sizeBytes }) =>
        create(recipe.kind, 'constants', sizeBytes, STORAGE | COPY_DST),
      ),
      inputs: plan.inputs.map(({ name, sizeBytes }) => create(name, 'inputs', sizeBytes, STORAGE | COPY_DST)),
      slots: plan.slots.map(({ sizeBytes }, index) =>
        create(`slot ${index}`, 'workspace', sizeBytes, STORAGE | COPY_SRC),
      ),
      readback: create('readback', 'readback', plan.bytes.readback, MAP_READ | COPY_DST),
    };
  }

  #writeConstants(buffers: PlanBuffers): void {
    const { queue } = this.#context.device;
    queue.writeBuffer(buffers.uniforms.buffer, 0, new Uint32Array(this.plan.uniformWords));
    this.plan.constants.forEach(({ recipe }, index) => {
      queue.writeBuffer(must(buffers.constants[index], 'constant').buffer, 0, materialiseConstant(recipe));
    });
  }

  /** Inputs have buffers of their own: a host write reaches the queue before recorded work, so it may not land where that work reads. */
  #writeInputs(buffers: PlanBuffers, batch: PackedBatch): void {
    const data: Readonly<Record<string, Uint32Array<ArrayBuffer>>> = {
      ids: batch.ids,
      tokens: batch.tokens,
      last_tokens: batch.lastTokens,
    };
    this.plan.inputs.forEach(({ name }, index) => {
      this.#context.device.queue.writeBuffer(
        must(buffers.inputs[index], name).buffer,
        0,
        must(data[name], name),
      );
    });
  }

  #record(buffers: PlanBuffers, weights: WeightStore, pipelines: readonly Pipeline[]): RecordedOperation[] {
    const bufferOf = ({ kind, index }: BufferRef): GPUBuffer => {
      switch (kind) {
        case 'weight':
          return weights.buffer(must(this.plan.weights[index], 'weight'));
        case 'constant':
          return must(buffers.constants[index], 'constant').buffer;
        case 'input':
          return must(buffers.inputs[index], 'input').buffer;
        case 'slot':
          return must(buffers.slots[index], 'slot').buffer;
        case 'readback':
          return buffers.readback.buffer;
      }
    };
    let dispatches = 0;
    return this.plan.steps.map((step) => {
      if (step.kind === 'copy') {
        const { from, to, toOffsetBytes, sizeBytes } = step;
        return {
          kind: 'copy',
          source: bufferOf(from),
          destination: bufferOf(to),
          destinationOffset: toOffsetBytes,
          sizeBytes,
        };
      }
      const pipeline = must(pipelines[dispatches++], step.variant);
      return this.#recordDispatch(step, pipeline, buffers.uniforms.buffer, bufferOf);
    });
  }

  #recordDispatch(
    step: DispatchStep,
    { pipeline, layout }: Pipeline,
    uniforms: GPUBuffer,
    bufferOf: (ref: BufferRef) => GPUBuffer,
  ): RecordedOperation {
    const definition: OpDefinition<Problem> = ops[step.op];
    const bindGroup = this.#context.device.createBindGroup({
      label: step.label,
      layout,
      entries: [
        { binding: 0, resource: { buffer: uniforms, size: parameterBlockBytes(definition.contract) } },
        ...step.operands.map(([ref], index) => ({ binding: index + 1, resource: { buffer: bufferOf(ref) } })),
      ],
    });
    return {
      kind: 'dispatch',
      pipeline,
      bindGroup,
      uniformOffsets: [step.uniformOffsetBytes],
      workgroups: step.workgroups,
    };
  }
}
