import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallObserver, medianPhases } from './phases.ts';

/** A clock that only moves when told to. */
let nowMs = 0;

interface Fake {
  readonly prototype: Readonly<Record<string, () => unknown>>;
}

/** Prototypes with the methods that are tapped; what a method takes, the clock shows. */
function fakeWebGpu() {
  const nothing = (): undefined => undefined;
  return {
    GPUDevice: {
      prototype: {
        createCommandEncoder: () => (nowMs += 1),
        createBuffer: nothing,
        createBindGroup: nothing,
        createComputePipeline: nothing,
        createComputePipelineAsync: nothing,
      },
    },
    GPUQueue: { prototype: { submit: () => (nowMs += 2), writeBuffer: nothing } },
    GPUBuffer: {
      prototype: {
        mapAsync: () => {
          nowMs += 30;
          return Promise.resolve();
        },
      },
    },
    GPUComputePassEncoder: { prototype: { dispatchWorkgroups: () => (nowMs += 0.5) } },
    GPUCommandEncoder: { prototype: { beginComputePass: nothing } },
  } satisfies Record<string, Fake>;
}

let fakes: ReturnType<typeof fakeWebGpu>;

beforeEach(() => {
  nowMs = 100;
  fakes = fakeWebGpu();
  for (const [name, fake] of Object.entries(fakes)) vi.stubGlobal(name, fake);
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function call(): Promise<void> {
  nowMs += 7;
  fakes.GPUDevice.prototype.createCommandEncoder();
  for (let index = 0; index < 4; index++) fakes.GPUComputePassEncoder.prototype.dispatchWorkgroups();
  fakes.GPUQueue.prototype.submit();
  await fakes.GPUBuffer.prototype.mapAsync();
  await Promise.resolve();
  nowMs += 5;
}

describe('CallObserver', () => {
  it('takes a call apart into before, encode and submit, fence, after', async () => {
    using observer = new CallObserver();
    expect(await observer.observe(call)).toEqual({
      phases: { beforeEncodeMs: 7, encodeAndSubmitMs: 5, fenceMs: 30, afterFenceMs: 5 },
      counts: { createCommandEncoder: 1, dispatchWorkgroups: 4, submit: 1, mapAsync: 1 },
    });
  });

  it('starts each call from zero', async () => {
    using observer = new CallObserver();
    const first = await observer.observe(call);
    expect(await observer.observe(call)).toEqual(first);
  });

  it('leaves WebGPU as it was', () => {
    const { submit } = fakes.GPUQueue.prototype;
    const observer = new CallObserver();
    expect(fakes.GPUQueue.prototype.submit).not.toBe(submit);
    observer[Symbol.dispose]();
    expect(fakes.GPUQueue.prototype.submit).toBe(submit);
  });
});

describe('medianPhases', () => {
  it('takes the median of each phase by itself', () => {
    const phases = (value: number): Parameters<typeof medianPhases>[0][number] => ({
      beforeEncodeMs: value,
      encodeAndSubmitMs: 10 - value,
      fenceMs: 1,
      afterFenceMs: value * 2,
    });
    expect(medianPhases([phases(1), phases(9), phases(2)])).toEqual({
      beforeEncodeMs: 2,
      encodeAndSubmitMs: 8,
      fenceMs: 1,
      afterFenceMs: 4,
    });
  });
});
