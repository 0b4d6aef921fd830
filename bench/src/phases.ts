import { quantile } from './statistics.ts';

/** Where the time of one call goes, in milliseconds, seen from the WebGPU calls that it makes. */
export interface CallPhases {
  /** Until the first command encoder: tokenising, planning, compiling, allocating, binding, writing inputs. */
  readonly beforeEncodeMs: number;
  /** From there to the end of the last submit: encoding and submitting. */
  readonly encodeAndSubmitMs: number;
  /** From there until the readback is mapped: the device works. */
  readonly fenceMs: number;
  /** From there to the answer: reading scores and making something of them. */
  readonly afterFenceMs: number;
}

/** What one call did. */
export interface ObservedCall {
  readonly phases: CallPhases;
  /** WebGPU calls by method. */
  readonly counts: Readonly<Record<string, number>>;
}

interface Marks {
  encodeStart: number | undefined;
  submitEnd: number | undefined;
  mapped: number | undefined;
  counts: Record<string, number>;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Watches the WebGPU calls of whatever engine runs in this page, from outside: engines need not offer times of their own, and all are
 * seen with the same eyes. Taps stay until disposed.
 */
export class CallObserver implements Disposable {
  readonly #restores: (() => void)[] = [];
  #marks: Marks = { encodeStart: undefined, submitEnd: undefined, mapped: undefined, counts: {} };

  constructor() {
    this.#tap(GPUDevice.prototype, 'createCommandEncoder', () => {
      this.#marks.encodeStart ??= performance.now();
    });
    this.#tap(GPUQueue.prototype, 'submit', undefined, () => {
      this.#marks.submitEnd = performance.now();
    });
    this.#tap(GPUBuffer.prototype, 'mapAsync', undefined, (pending) => {
      // Whoever asked for the mapping deals with its failure.
      (pending as Promise<undefined>).then(
        () => (this.#marks.mapped = performance.now()),
        () => undefined,
      );
    });
    for (const [prototype, name] of counted()) this.#tap(prototype, name);
  }

  /** Runs one call and takes it apart. */
  async observe(call: () => Promise<unknown>): Promise<ObservedCall> {
    this.#marks = { encodeStart: undefined, submitEnd: undefined, mapped: undefined, counts: {} };
    const start = performance.now();
    await call();
    const end = performance.now();
    const { encodeStart = start, submitEnd = encodeStart, counts } = this.#marks;
    // A mapping that was already there when the last submit ended leaves nothing to wait for.
    const mapped = Math.max(this.#marks.mapped ?? end, submitEnd);
    return {
      phases: {
        beforeEncodeMs: encodeStart - start,
        encodeAndSubmitMs: submitEnd - encodeStart,
        fenceMs: mapped - submitEnd,
        afterFenceMs: end - mapped,
      },
      counts,
    };
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restores) restore();
  }

  #tap(prototype: object, name: string, before?: () => void, after?: (result: unknown) => void): void {
    const target = prototype as Record<string, Method>;
    const original = target[name];
    if (!original) throw new Error(`${name}: this browser's WebGPU has no such method`);
    const count = (): void => {
      this.#marks.counts[name] = (this.#marks.counts[name] ?? 0) + 1;
    };
    target[name] = function (...args) {
      count();
      before?.();
      const result = original.apply(this, args);
      after?.(result);
      return result;
    };
    this.#restores.push(() => {
      target[name] = original;
    });
  }
}

function counted(): readonly (readonly [object, string])[] {
  return [
    [GPUComputePassEncoder.prototype, 'dispatchWorkgroups'],
    [GPUCommandEncoder.prototype, 'beginComputePass'],
    [GPUDevice.prototype, 'createBuffer'],
    [GPUDevice.prototype, 'createBindGroup'],
    [GPUDevice.prototype, 'createComputePipeline'],
    [GPUDevice.prototype, 'createComputePipelineAsync'],
    [GPUQueue.prototype, 'writeBuffer'],
  ];
}

/** The median of each phase over several calls. Medians do not add up to the median of the whole. */
export function medianPhases(calls: readonly CallPhases[]): CallPhases {
  const median = (phase: keyof CallPhases): number =>
    quantile(
      calls.map((call) => call[phase]),
      0.5,
    );
  return {
    beforeEncodeMs: median('beforeEncodeMs'),
    encodeAndSubmitMs: median('encodeAndSubmitMs'),
    fenceMs: median('fenceMs'),
    afterFenceMs: median('afterFenceMs'),
  };
}
