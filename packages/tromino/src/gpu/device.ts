import { defaultCaps, type DeviceCaps } from '../kernels/index.ts';
import { abortable, throwIfAborted } from '../util/abort.ts';
import { DeviceLostError, GpuError, UnsupportedError } from '../util/errors.ts';
import { Mutex } from '../util/mutex.ts';
import { capsOf, describeAdapter, requireAdapter, type AdapterDescription } from './adapter.ts';
import { PipelineCache } from './pipelines.ts';

/** The largest single buffer that a model would bind if it could choose. */
export interface DeviceNeeds {
  readonly largestBindingBytes: number;
  /** Features that the device must have. */
  readonly features: readonly GPUFeatureName[];
}

/** A device and what all models on it share: compiled pipelines, and the line in which their calls wait. */
export class GpuContext {
  readonly device: GPUDevice;
  readonly caps: DeviceCaps;
  readonly adapter: AdapterDescription;
  readonly pipelines: PipelineCache;
  /** One task is on the device at a time, in the order of asking. */
  readonly line = new Mutex();
  readonly #watchers = new Set<(error: DeviceLostError) => void>();
  readonly #lossListeners = new Set<() => void>();
  #lost: DeviceLostError | undefined;

  constructor(device: GPUDevice) {
    this.device = device;
    this.caps = capsOf(device, device.adapterInfo);
    this.adapter = describeAdapter(device.adapterInfo);
    this.pipelines = new PipelineCache(device);
    // By the specification this never rejects.
    device.lost.then(
      ({ reason, message }) => {
        this.#lost = new DeviceLostError(reason, message || 'no reason given');
        for (const reject of this.#watchers) reject(this.#lost);
        this.#watchers.clear();
        for (const listener of this.#lossListeners) listener();
        this.#lossListeners.clear();
      },
      () => undefined,
    );
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  throwIfLost(): void {
    if (this.#lost) throw this.#lost;
  }

  /** Calls the listener once when the device is lost. Returns what takes it away again. */
  onLoss(listener: () => void): () => void {
    this.#lossListeners.add(listener);
    return () => this.#lossListeners.delete(listener);
  }

  /**
   * Settles like `work`, or rejects as soon as the device is lost or the signal aborts. The work itself goes on. Nothing is left behind
   * on the device's own promise, which outlives any number of calls.
   */
  guard<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const guarded = new Promise<T>((resolve, reject) => {
      if (this.#lost) reject(this.#lost);
      else this.#watchers.add(reject);
      work.then(resolve, reject).finally(() => this.#watchers.delete(reject));
    });
    return abortable(guarded, signal);
  }
}

/** A context in use by a model; `release()` gives it back. */
export interface GpuLease {
  readonly context: GpuContext;
  release(): void;
}

interface SharedContext {
  readonly context: GpuContext;
  users: number;
}

const sharedContexts: SharedContext[] = [];
const borrowedContexts = new WeakMap<GPUDevice, GpuContext>();

/** Serialises the asking for shared devices, so that two loads at once end up on one. */
const sharing = new Mutex();

/** Uses a device that the caller owns. It is never destroyed here. */
export function borrowDevice(device: GPUDevice): GpuLease {
  let context = borrowedContexts.get(device);
  if (!context) {
    context = new GpuContext(device);
    borrowedContexts.set(device, context);
  }
  return { context, release: () => undefined };
}

/**
 * A device that models share: an existing one whose limits suffice, else a new one. It has the default limits unless the model needs more
 * and the adapter has more. The last user's release destroys it, and a lost or destroyed one is never handed out again.
 * @throws UnsupportedError where there is no WebGPU or no adapter.
 */
export async function shareDevice(needs: DeviceNeeds, signal?: AbortSignal): Promise<GpuLease> {
  const done = await sharing.acquire(signal);
  try {
    const adapter = await requireAdapter();
    const adapterCaps = capsOf(adapter, adapter.info);
    const wanted = {
      maxStorageBufferBindingSize: limitFor('maxStorageBufferBindingSize', needs, adapterCaps),
      maxBufferSize: limitFor('maxBufferSize', needs, adapterCaps),
    };
    const missing = needs.features.find((feature) => !adapter.features.has(feature));
    if (missing) throw new UnsupportedError(missing, 'this adapter does not have it');
    let shared = sharedContexts.find(
      ({ context }) =>
        !context.isLost &&
        context.caps.maxStorageBufferBindingSize >= wanted.maxStorageBufferBindingSize &&
        context.caps.maxBufferSize >= wanted.maxBufferSize &&
        needs.features.every((feature) => context.device.features.has(feature)),
    );
    if (!shared) {
      throwIfAborted(signal);
      const device = await requestDevice(adapter, {
        label: 'tromino',
        requiredLimits: wanted,
        requiredFeatures: [...needs.features],
      });
      shared = { context: new GpuContext(device), users: 0 };
      sharedContexts.push(shared);
    }
    return leaseOf(shared);
  } finally {
    done();
  }
}

async function requestDevice(adapter: GPUAdapter, descriptor: GPUDeviceDescriptor): Promise<GPUDevice> {
  try {
    return await adapter.requestDevice(descriptor);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new GpuError(`the adapter gave no device: ${detail}`, { cause: error });
  }
}

function leaseOf(shared: SharedContext): GpuLease {
  shared.users++;
  let isHeld = true;
  return {
    context: shared.context,
    release() {
      if (!isHeld) return;
      isHeld = false;
      shared.users--;
      if (shared.users > 0) return;
      sharedContexts.splice(sharedContexts.indexOf(shared), 1);
      shared.context.device.destroy();
    },
  };
}

function limitFor(
  limit: 'maxStorageBufferBindingSize' | 'maxBufferSize',
  needs: DeviceNeeds,
  adapter: DeviceCaps,
): number {
  const least = Math.min(defaultCaps[limit], adapter[limit]);
  return Math.min(Math.max(least, needs.largestBindingBytes), adapter[limit]);
}
