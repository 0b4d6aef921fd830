import { createOwnedBuffer, type OwnedBuffer } from '../gpu/ledger.ts';
import { batchInputs, type PackedBatch } from '../graph/batch.ts';
import { materialiseConstant } from '../graph/constants.ts';
import type { BufferRef, Plan } from '../plan/plan.ts';
import { must } from '../util/assert.ts';
import type { MemoryAccount, MemoryCategory } from '../util/memory_account.ts';
import type { WeightStore } from './weight_store.ts';

/** A range of a buffer, to be bound or copied from; without a size, to the buffer's end. */
export interface BufferRange {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size?: number;
}

/** Every buffer that a plan's runs need beside the weights, exactly as large as the plan says. */
export class PlanBuffers {
  readonly #plan: Plan;
  readonly #device: GPUDevice;
  readonly #weights: WeightStore;
  readonly #owned: OwnedBuffer[] = [];
  readonly #buffers = new Map<string, GPUBuffer>();

  constructor(plan: Plan, device: GPUDevice, weights: WeightStore) {
    this.#plan = plan;
    this.#device = device;
    this.#weights = weights;
  }

  /** To be called within error scopes. On failure the caller disposes of what there is. */
  allocate(account: MemoryAccount): void {
    const { uniforms, readback } = this.#plan.bytes;
    const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
    const create = (
      key: string,
      category: MemoryCategory,
      sizeBytes: number,
      usage: GPUBufferUsageFlags,
    ): void => {
      const owned = createOwnedBuffer(this.#device, account, { label: key, category, sizeBytes, usage });
      this.#owned.push(owned);
      this.#buffers.set(key, owned.buffer);
    };
    create('uniforms', 'uniforms', uniforms, UNIFORM | COPY_DST);
    this.#plan.constants.forEach(({ sizeBytes }, i) => {
      create(`constant ${i}`, 'constants', sizeBytes, STORAGE | COPY_DST);
    });
    this.#plan.inputs.forEach(({ sizeBytes }, i) => {
      create(`input ${i}`, 'inputs', sizeBytes, STORAGE | COPY_DST);
    });
    this.#plan.arenas.forEach(({ sizeBytes }, i) => {
      create(`arena ${i}`, 'workspace', sizeBytes, STORAGE | COPY_SRC);
    });
    create('readback 0', 'readback', readback, MAP_READ | COPY_DST);
    this.#writeConstants();
  }

  get uniforms(): GPUBuffer {
    return must(this.#buffers.get('uniforms'), 'uniforms');
  }

  get readback(): GPUBuffer {
    return must(this.#buffers.get('readback 0'), 'readback');
  }

  /** The bytes that a step of the plan means. */
  of(ref: BufferRef): BufferRange {
    const { kind, index } = ref;
    if (kind === 'weight') {
      return { buffer: this.#weights.buffer(must(this.#plan.weights[index], 'weight')), offset: 0 };
    }
    const buffer = must(this.#buffers.get(`${kind} ${index}`), `${kind} ${index}`);
    return kind === 'arena'
      ? { buffer, offset: ref.offsetBytes, size: ref.sizeBytes }
      : { buffer, offset: 0 };
  }

  /** Inputs have buffers of their own: a host write reaches the queue before recorded work, so it may not land where that work reads. */
  writeInputs(batch: PackedBatch): void {
    const data = batchInputs(batch);
    this.#plan.inputs.forEach(({ name }, index) => {
      this.#device.queue.writeBuffer(this.of({ kind: 'input', index }).buffer, 0, must(data[name], name));
    });
  }

  dispose(): void {
    for (const owned of this.#owned) owned.destroy();
    this.#owned.length = 0;
    this.#buffers.clear();
  }

  #writeConstants(): void {
    const { queue } = this.#device;
    queue.writeBuffer(this.uniforms, 0, new Uint32Array(this.#plan.uniformWords));
    this.#plan.constants.forEach(({ recipe }, index) => {
      queue.writeBuffer(this.of({ kind: 'constant', index }).buffer, 0, materialiseConstant(recipe));
    });
  }
}
