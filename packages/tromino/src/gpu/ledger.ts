import type { MemoryAccount, MemoryCategory } from '../util/memory_account.ts';
import { OutOfMemoryError } from '../util/errors.ts';

/** A GPU buffer with an owner: its bytes are counted from creation to `destroy()`, which may be called twice. */
export interface OwnedBuffer {
  readonly buffer: GPUBuffer;
  readonly sizeBytes: number;
  destroy(): void;
}

/** What a buffer is to be. Sizes are exact; WebGPU wants them in multiples of 4, which all our elements are. */
export interface BufferRequest {
  readonly label: string;
  readonly category: MemoryCategory;
  readonly sizeBytes: number;
  readonly usage: GPUBufferUsageFlags;
}

/** Smallest buffer that can be bound: an empty one is a validation error. */
const minimumSizeBytes = 4;

/**
 * The only place that creates buffers, so that every byte on the device is in some model's account.
 *
 * A device reports that it is out of memory asynchronously, through an error scope: callers allocate inside {@link withErrorScopes}. A
 * synchronous refusal becomes an {@link OutOfMemoryError} here.
 */
export function createOwnedBuffer(
  device: GPUDevice,
  account: MemoryAccount,
  request: BufferRequest,
): OwnedBuffer {
  const sizeBytes = Math.max(request.sizeBytes, minimumSizeBytes);
  const { label, category, usage } = request;
  let buffer: GPUBuffer;
  try {
    buffer = device.createBuffer({ label, size: sizeBytes, usage });
  } catch (error) {
    throw Object.assign(new OutOfMemoryError(label, sizeBytes), { cause: error });
  }
  account.add(category, sizeBytes);
  let isAlive = true;
  return {
    buffer,
    sizeBytes,
    destroy() {
      if (!isAlive) return;
      isAlive = false;
      buffer.destroy();
      account.remove(category, sizeBytes);
    },
  };
}
