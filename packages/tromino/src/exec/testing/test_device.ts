import { must } from '../../util/assert.ts';

/** A real device whose buffers are counted, whose errors are collected, and which can be told to refuse an allocation. */
export interface TestDevice {
  readonly device: GPUDevice;
  /** Buffers created and not yet destroyed, by label. */
  readonly live: ReadonlySet<string>;
  /** Buffers created so far. */
  created(): number;
  /** Throws from the n-th `createBuffer` from now on, counted from 1, and from that one alone. */
  failAt(n: number): void;
  /** Messages of errors that no scope caught; a right program has none. */
  readonly uncaptured: readonly string[];
  /** Command buffers submitted so far, empty submissions left out. */
  submissions(): number;
  /** Calls so far for whose answer a program waits: error scopes, compilations, mappings, the queue's word. */
  asked(): number;
  /** Does something right before the n-th such call from now on, counted from 1. */
  beforeAsking(n: number, action: () => void): void;
  /** Makes the n-th mapping from now on fail, counted from 1. */
  failMapAt(n: number): void;
  /** Fills every workspace buffer that is alive with NaN. */
  poisonWorkspace(): void;
}

/** Requests a device of its own for one test. */
export async function createTestDevice(limits: Readonly<Record<string, number>> = {}): Promise<TestDevice> {
  const adapter = must(await navigator.gpu.requestAdapter(), 'adapter');
  const device = await adapter.requestDevice();
  // A lower limit than the default cannot be requested, only pretended: enough to make the planner cut tensors.
  Object.defineProperty(device, 'limits', { value: pretend(device.limits, limits) });
  const live = new Set<string>();
  const uncaptured: string[] = [];
  let created = 0;
  let failing = -1;
  let failingMap = -1;
  const workspace = new Map<string, GPUBuffer>();
  let submissions = 0;
  const createBuffer = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    if (failing > 0 && --failing === 0) throw new RangeError('refused for a test');
    const isWorkspace = descriptor.label?.startsWith('arena ') ?? false;
    const usage = isWorkspace ? descriptor.usage | GPUBufferUsage.COPY_DST : descriptor.usage;
    const buffer = createBuffer({ ...descriptor, usage });
    const key = `${descriptor.label ?? ''} #${created++}`;
    live.add(key);
    if (isWorkspace) workspace.set(key, buffer);
    const mapAsync = buffer.mapAsync.bind(buffer);
    buffer.mapAsync = (...how) => {
      ask();
      if (failingMap > 0 && --failingMap === 0)
        return Promise.reject(new DOMException('refused for a test', 'OperationError'));
      return mapAsync(...how);
    };
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      live.delete(key);
      workspace.delete(key);
      destroy();
    };
    return buffer;
  };
  let asked = 0;
  let actionIn = -1;
  let action = (): void => undefined;
  const ask = (): void => {
    asked++;
    if (actionIn > 0 && --actionIn === 0) action();
  };
  const popErrorScope = device.popErrorScope.bind(device);
  device.popErrorScope = () => (ask(), popErrorScope());
  const compile = device.createComputePipelineAsync.bind(device);
  device.createComputePipelineAsync = (descriptor) => (ask(), compile(descriptor));
  const onSubmittedWorkDone = device.queue.onSubmittedWorkDone.bind(device.queue);
  device.queue.onSubmittedWorkDone = () => (ask(), onSubmittedWorkDone());
  const submit = device.queue.submit.bind(device.queue);
  device.queue.submit = (commandBuffers) => {
    const buffers = [...commandBuffers];
    submissions += buffers.length;
    submit(buffers);
  };
  device.addEventListener('uncapturederror', ({ error }) => {
    uncaptured.push(error.message);
  });
  return {
    device,
    live,
    uncaptured,
    created: () => created,
    failAt: (n) => {
      failing = n;
    },
    submissions: () => submissions,
    asked: () => asked,
    beforeAsking: (n, todo) => {
      actionIn = n;
      action = todo;
    },
    failMapAt: (n) => {
      failingMap = n;
    },
    poisonWorkspace: () => {
      for (const buffer of workspace.values())
        device.queue.writeBuffer(buffer, 0, new Float32Array(buffer.size / 4).fill(NaN));
    },
  };
}

/** Collects every device that is requested until `restore()`, so that a test can lose one that is not its own. */
export function watchRequestedDevices(): {
  readonly requested: readonly GPUDevice[];
  readonly restore: () => void;
} {
  const requested: GPUDevice[] = [];
  const original = Reflect.get(GPUAdapter.prototype, 'requestDevice');
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await original.call(this, descriptor);
    requested.push(device);
    return device;
  };
  return {
    requested,
    restore: () => {
      GPUAdapter.prototype.requestDevice = original;
    },
  };
}

function pretend(actual: GPUSupportedLimits, changed: Readonly<Record<string, number>>): GPUSupportedLimits {
  return new Proxy(actual, {
    get: (target, name) =>
      typeof name === 'string' && name in changed
        ? changed[name]
        : (Reflect.get(target, name, target) as unknown),
  });
}
