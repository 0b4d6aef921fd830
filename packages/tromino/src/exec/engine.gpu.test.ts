import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  DeviceLostError,
  DisposedError,
  loadClassifier,
  OptionError,
  OutOfMemoryError,
  UnsupportedError,
  type Classifier,
  type LoadOptions,
} from '../index.ts';
import { relativeError } from '../../test/reference_checkpoints.ts';
import { createTestDevice, watchRequestedDevices, type TestDevice } from './testing/test_device.ts';

const url = new URL('/packages/tromino/test/fixtures/checkpoints/llama-seqcls/', location.origin).href;
const short = [33, 7, 210];
const long = Array.from({ length: 40 }, (_, i) => (i * 37) % 300);

/** One device for most tests: on a software adapter, compiling takes longer than everything else. */
let shared: TestDevice;
let models: Classifier[] = [];

async function load(options: LoadOptions = {}): Promise<Classifier> {
  const model = await loadClassifier(url, { device: shared.device, ...options });
  models.push(model);
  return model;
}

beforeAll(async () => {
  shared = await createTestDevice();
});

afterEach(() => {
  for (const model of models) model.dispose();
  models = [];
  expect([...shared.live]).toEqual([]);
  expect(shared.uncaptured).toEqual([]);
});

describe('kernels of a likely call', () => {
  it('are compiled while the weights arrive', async () => {
    const own = await createTestDevice();
    const compile = own.device.createComputePipelineAsync.bind(own.device);
    let compiled = 0;
    own.device.createComputePipelineAsync = (descriptor) => (compiled++, compile(descriptor));
    const model = await load({ device: own.device });
    const ahead = compiled;
    expect(ahead).toBeGreaterThan(5);
    await model.classify(long);
    expect(compiled).toBe(ahead);
    model.dispose();
    own.device.destroy();
  });

  it('fail the call that needs them, and not the load', async () => {
    const own = await createTestDevice();
    own.device.createComputePipelineAsync = () => Promise.reject(new Error('refused for a test'));
    const model = await load({ device: own.device });
    await expect(model.classify(long)).rejects.toThrow('the device refused the kernel: refused for a test');
    model.dispose();
    own.device.destroy();
  });

  it('are not looked for where a variant that is insisted on does not fit the likely length', async () => {
    const model = await load({ variants: { matmul: 'matvec_vec4_f32_f32' } });
    expect((await model.classify(short)).numTokens).toBe(3);
  });
});

describe('memory', () => {
  it('takes exactly the planned bytes at its peak, and nothing after dispose', async () => {
    const model = await load();
    const plan = model.plan(short.length);
    await model.classify(short);
    expect(model.memory().peakBytes).toBe(plan.bytes.peak);
    const categories = Object.entries(model.memory().categories).map(([name, use]) => [name, use.peakBytes]);
    expect(Object.fromEntries(categories)).toEqual({ ...plan.bytes, peak: undefined });
    model.dispose();
    expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
  });

  it('keeps the peak of a second shape at what its own plan says', async () => {
    const model = await load();
    await model.classify(short);
    await model.classify(long);
    expect(model.memory().peakBytes).toBe(model.plan(long.length).bytes.peak);
  });

  it('owns nothing but weights between calls with retainedPlans 0', async () => {
    const model = await load({ retainedPlans: 0 });
    const { currentBytes } = model.memory();
    await model.classify(short);
    expect(model.memory().currentBytes).toBe(currentBytes);
    expect(model.memory().currentBytes).toBe(model.plan(1).bytes.weights);
  });

  it('lets kept plans give way to a call that fits the budget without them', async () => {
    const { bytes } = (await load()).plan(long.length);
    const model = await load({ retainedPlans: 3, memoryBudgetBytes: bytes.peak });
    const { logits } = await model.classify(long);
    await model.classify(short);
    expect((await model.classify(long)).logits).toEqual(logits);
    expect(model.memory().peakBytes).toBe(bytes.peak);
  });

  it('keeps nothing of a preparation with retainedPlans 0', async () => {
    const model = await load({ retainedPlans: 0 });
    await model.prepare(short.length);
    expect(model.memory().currentBytes).toBe(model.plan(1).bytes.weights);
  });

  it('creates no buffer in later calls of the same shape', async () => {
    const model = await load();
    await model.classify(short);
    const created = shared.created();
    for (let call = 0; call < 20; call++) await model.classify(short);
    expect(shared.created()).toBe(created);
  });

  it('refuses a load and a run that go over the budget, before anything is allocated for them', async () => {
    const { bytes } = (await load()).plan(long.length);
    await expect(load({ memoryBudgetBytes: bytes.weights - 1 })).rejects.toThrow(OutOfMemoryError);
    const model = await load({ memoryBudgetBytes: bytes.peak - 1 });
    const created = shared.created();
    await expect(model.classify(long)).rejects.toMatchObject({
      neededBytes: bytes.peak,
      budgetBytes: bytes.peak - 1,
    });
    expect(shared.created()).toBe(created);
    expect((await model.classify(short)).numTokens).toBe(3);
  });

  it('gives everything back when any single allocation of a load or a run fails', async () => {
    const count = shared.created();
    const probe = await load();
    const loadBuffers = shared.created() - count;
    await probe.classify(short);
    const runBuffers = shared.created() - count - loadBuffers;
    probe.dispose();
    for (let n = 1; n <= loadBuffers; n++) {
      shared.failAt(n);
      await expect(load()).rejects.toThrow(OutOfMemoryError);
      expect(shared.live.size).toBe(0);
    }
    const model = await load();
    const expected = await model.classify(short);
    await model.release();
    for (let n = 1; n <= runBuffers; n++) {
      shared.failAt(n);
      await expect(model.classify(short)).rejects.toThrow(OutOfMemoryError);
      expect(shared.live.size).toBe(loadBuffers);
    }
    expect((await model.classify(short)).logits).toEqual(expected.logits);
  });
});

describe('bits', () => {
  it('are the same alone and in a batch, first call and later, with and without reuse', async () => {
    const model = await load();
    const [first, second] = [await model.classify(short), await model.classify(long)];
    const batch = await model.classify([long, short, long]);
    expect(batch.map(({ logits }) => logits)).toEqual([second.logits, first.logits, second.logits]);
    expect((await model.classify(short)).logits).toEqual(first.logits);
    const apart = await load({ reuse: 'off' });
    expect((await apart.classify(long)).logits).toEqual(second.logits);
    expect(apart.plan(long.length).bytes.workspace).toBeGreaterThan(model.plan(long.length).bytes.workspace);
  });

  it.each(['matmul_tile16_f32_f32', 'matmul_tile2x2_f32_f32', 'matmul_tile4x4_f32_f32'])(
    'are the same with every matmul computed by %s',
    async (matmul) => {
      const expected = await (await load()).classify(long);
      const model = await load({ variants: { matmul } });
      const used = model
        .plan(long.length)
        .steps.map((step) => (step.kind === 'dispatch' ? step.variant : ''));
      expect(used).toContain(matmul);
      expect((await model.classify(long)).logits).toEqual(expected.logits);
    },
  );

  it('are the same when a binding limit cuts the weights into several buffers', async () => {
    const expected = await (await load()).classify(long);
    const cut = await createTestDevice({ maxStorageBufferBindingSize: 48 * 1024 });
    const model = await load({ device: cut.device });
    const { weights } = model.plan(long.length);
    expect(weights.filter(({ weight }) => weight === 'model.embed_tokens.weight').length).toBe(2);
    expect(weights.filter(({ weight }) => weight.endsWith('0.mlp.gate_up_proj.weight')).length).toBe(2);
    expect((await model.classify(long)).logits).toEqual(expected.logits);
    expect(cut.uncaptured).toEqual([]);
  });

  it('refuses an activation that no binding can hold, with both numbers', async () => {
    const narrow = await createTestDevice({ maxStorageBufferBindingSize: 24 * 1024 });
    const model = await load({ device: narrow.device });
    await expect(model.classify(long)).rejects.toThrow(UnsupportedError);
    await expect(model.classify(long)).rejects.toThrow(
      '40960 bytes in one binding, this adapter allows 24576',
    );
  });
});

describe('slices', () => {
  it.each([
    [1, 3],
    [2, 2],
    ['all', 1],
  ] as const)('of %s layers give the same bits in %d submissions', async (layersPerSlice, numSlices) => {
    const expected = await (await load()).classify(long);
    const model = await load({ layersPerSlice });
    expect(model.plan(long.length).slices.length).toBe(numSlices);
    const submissions = shared.submissions();
    expect((await model.classify(long)).logits).toEqual(expected.logits);
    expect(shared.submissions()).toBe(submissions + numSlices);
    expect((await model.classify(long)).logits).toEqual(expected.logits);
  });

  it('submit nothing after the one that was running at an abort', async () => {
    const model = await load({ layersPerSlice: 1 });
    const expected = await model.classify(long);
    const before = shared.submissions();
    const controller = new AbortController();
    const aborted = model.classify(long, { signal: controller.signal });
    while (shared.submissions() === before) await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect((await model.classify(long)).logits).toEqual(expected.logits);
    // One slice of the aborted call, three of the next.
    expect(shared.submissions()).toBe(before + 4);
  });
});

describe('tap', () => {
  it('hands over every step, the last with the bits of a run, and leaves nothing behind', async () => {
    const model = await load();
    const { logits } = await model.classify(long);
    const { currentBytes } = model.memory();
    const seen: string[] = [];
    let last: Float32Array | undefined;
    await model.tap(long, ({ step, values }) => {
      seen.push(step.label);
      last = values;
    });
    const dispatches = model.plan(long.length).steps.filter(({ kind }) => kind === 'dispatch');
    expect(seen).toEqual(dispatches.map(({ label }) => label));
    expect(last).toEqual(logits);
    expect(model.memory().currentBytes).toBe(currentBytes);
  });

  it('agrees with the portable backend step by step', async () => {
    const cpu = await load({ backend: 'cpu', device: undefined } as unknown as LoadOptions);
    const expected: Float32Array[] = [];
    await cpu.tap(short, ({ values }) => {
      expected.push(values);
    });
    const model = await load();
    await model.tap(short, ({ index, step, values }) => {
      const reference = expected[index] ?? new Float32Array();
      expect(values.length, step.label).toBe(reference.length);
      expect(relativeError(values, [...reference]), step.label).toBeLessThan(1e-5);
    });
  });

  it('ends with what its callback throws, and the model goes on', async () => {
    const model = await load();
    const stop = (): never => {
      throw new Error('seen enough');
    };
    await expect(model.tap(short, stop)).rejects.toThrow('seen enough');
    expect((await model.classify(short)).numTokens).toBe(3);
  });
});

describe('profile', () => {
  it('times every step on a device that has a clock, and states its resolution', async () => {
    const model = await load({
      profiling: true,
      backend: 'webgpu',
      device: undefined,
    } as unknown as LoadOptions);
    const { logits } = await model.classify(short);
    const { currentBytes } = model.memory();
    const profile = await model.profile(short, { repeats: 3 });
    const dispatches = model.plan(short.length).steps.filter(({ kind }) => kind === 'dispatch');
    expect(profile.steps.map(({ step }) => step)).toEqual(dispatches);
    expect(profile.resolutionNs).toBeGreaterThan(0);
    expect(profile.totalNs).toBeGreaterThan(0);
    expect(model.memory().currentBytes).toBe(currentBytes);
    expect((await model.classify(short)).logits).toEqual(logits);
  });

  it('says what is missing where the device has none', async () => {
    const model = await load();
    await expect(model.profile(short)).rejects.toThrow(
      'timestamp-query: load the model with profiling: true',
    );
  });
});

describe('calls at once', () => {
  it('answer as one after the other, with one aborted and one failing among them', async () => {
    const model = await load();
    const expected = [await model.classify(short), await model.classify(long)];
    const controller = new AbortController();
    const calls = Array.from({ length: 10 }, (_, i) => {
      if (i === 3) return model.classify(long, { signal: controller.signal });
      if (i === 5) return model.classify([9999]);
      return model.classify(i % 2 === 0 ? short : long);
    });
    controller.abort();
    const results = await Promise.allSettled(calls);
    results.forEach((result, i) => {
      if (i === 3) expect(result).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
      else if (i === 5)
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(OptionError) as unknown });
      else expect(result).toMatchObject({ status: 'fulfilled', value: { logits: expected[i % 2]?.logits } });
    });
  });

  it('abort without a submission while waiting, and leave the model usable', async () => {
    const model = await load();
    await model.classify(short);
    const submissions = shared.submissions();
    const controller = new AbortController();
    const running = model.classify(short);
    const waiting = model.classify(short, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await running;
    expect(shared.submissions()).toBe(submissions + 1);
    expect((await model.classify(short)).numTokens).toBe(3);
  });

  it('reject with DisposedError when the model goes away under them', async () => {
    const model = await load();
    const calls = [model.classify(long), model.classify(short), model.prepare(7)];
    await Promise.resolve();
    model.dispose();
    for (const call of calls) await expect(call).rejects.toThrow(DisposedError);
    await expect(model.classify(short)).rejects.toThrow(DisposedError);
    expect(model.memory().currentBytes).toBe(0);
  });

  it('reject with DisposedError also when the device goes with the model', async () => {
    const model = await loadClassifier(url, { backend: 'webgpu' });
    await model.prepare(long.length);
    const calls = [model.classify(long), model.classify(short)];
    const outcomes = Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 5));
    model.dispose();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ reason: expect.any(DisposedError) as unknown });
  });
});

describe('devices', () => {
  it('of the caller are used and never destroyed', async () => {
    const model = await load();
    await model.classify(short);
    model.dispose();
    expect((await (await load()).classify(short)).numTokens).toBe(3);
  });

  it('of our own work again after the last user left, and for the rest when one leaves', async () => {
    const a = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
    const b = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
    a.dispose();
    const answer = await b.classify(short);
    b.dispose();
    const c = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
    expect((await c.classify(short)).logits).toEqual(answer.logits);
  });

  it('that are lost reject the running call, the waiting ones and later ones within a second', async () => {
    const own = await createTestDevice();
    const model = await load({ device: own.device });
    await model.classify(short);
    const calls = [model.classify(short), model.classify(long), model.prepare(9)];
    own.device.destroy();
    const start = performance.now();
    for (const call of calls) await expect(call).rejects.toThrow(DeviceLostError);
    await expect(model.classify(short)).rejects.toThrow(DeviceLostError);
    expect(performance.now() - start).toBeLessThan(1000);
    model.dispose();
    expect(own.live.size).toBe(0);
    expect(model.memory().currentBytes).toBe(0);
  });

  it('that are lost before or while loading make the load fail, and leave nothing', async () => {
    const own = await createTestDevice();
    const loading = load({ device: own.device });
    own.device.destroy();
    await expect(loading).rejects.toThrow(DeviceLostError);
    expect(own.live.size).toBe(0);
  });
});

describe('a lost device of our own', () => {
  it('is replaced also when the signal of the load has aborted since', async () => {
    const { requested, restore } = watchRequestedDevices();
    try {
      const controller = new AbortController();
      const options = { backend: 'webgpu', device: undefined, signal: controller.signal };
      const model = await load(options as unknown as LoadOptions);
      const { logits } = await model.classify(short);
      controller.abort();
      requested[0]?.destroy();
      await requested[0]?.lost;
      expect((await model.classify(short)).logits).toEqual(logits);
    } finally {
      restore();
    }
  });

  it('fails waiting calls with DeviceLostError, not DisposedError, when one is tried again at once', async () => {
    const { requested, restore } = watchRequestedDevices();
    try {
      const model = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
      const { logits } = await model.classify(short);
      const retried = model.classify(short).catch(() => model.classify(short));
      const waiting = Promise.allSettled([model.classify(long), model.classify(short), model.classify(long)]);
      requested[0]?.destroy();
      expect((await retried).logits).toEqual(logits);
      for (const outcome of await waiting)
        expect(outcome).toMatchObject({ reason: expect.any(DeviceLostError) as unknown });
    } finally {
      restore();
    }
  });

  it('is not replaced for a model that is disposed of meanwhile, and the call rejects', async () => {
    const { requested, restore } = watchRequestedDevices();
    try {
      const model = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
      requested[0]?.destroy();
      await requested[0]?.lost;
      const call = model.classify(short);
      await Promise.resolve();
      model.dispose();
      await expect(call).rejects.toThrow(DisposedError);
      expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
    } finally {
      restore();
    }
  });

  it('fails the calls it has, and the next call runs on a new one with the same bits', async () => {
    const { requested, restore } = watchRequestedDevices();
    try {
      const model = await load({ backend: 'webgpu', device: undefined } as unknown as LoadOptions);
      const { logits } = await model.classify(short);
      const weightBytes = model.memory().categories.weights.currentBytes;
      const calls = [model.classify(long), model.classify(short)];
      requested[0]?.destroy();
      for (const call of calls) await expect(call).rejects.toThrow(DeviceLostError);
      const [first, second] = await Promise.all([model.classify(short), model.classify(short)]);
      expect([first.logits, second.logits]).toEqual([logits, logits]);
      expect(requested.length).toBe(2);
      expect(model.memory().categories.weights.currentBytes).toBe(weightBytes);
      model.dispose();
      expect(model.memory().currentBytes).toBe(0);
    } finally {
      restore();
    }
  });
});

describe('loading', () => {
  it.each([0, 1, 3, 8])('gives everything back when aborted at progress report %d', async (at) => {
    const controller = new AbortController();
    let reports = 0;
    const onProgress = (): void => {
      if (reports++ === at) controller.abort();
    };
    await expect(load({ signal: controller.signal, onProgress })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(shared.live.size).toBe(0);
  });

  it('passes on what a progress callback throws', async () => {
    const onProgress = (): void => {
      throw new Error('the page is gone');
    };
    await expect(load({ onProgress })).rejects.toThrow('the page is gone');
  });

  it('is ready for the shape it was asked to prepare: the first call creates nothing', async () => {
    const phases: string[] = [];
    const model = await load({ prepareFor: short.length, onProgress: ({ phase }) => phases.push(phase) });
    expect([...new Set(phases)]).toEqual(['files', 'weights', 'pipelines', 'ready']);
    const created = shared.created();
    await model.classify(short);
    expect(shared.created()).toBe(created);
    await expect(load({ prepareFor: 0 })).rejects.toThrow(
      'prepareFor: expected integers from 1 to 512, found 0',
    );
  });

  it('refuses options without meaning', async () => {
    await expect(load({ retainedPlans: -1 })).rejects.toThrow(
      'retainedPlans: expected an integer from 0, found -1',
    );
    await expect(load({ maxTokens: 0 })).rejects.toThrow(OptionError);
    await expect(load({ variants: { matmul: 'nonsense' } })).rejects.toThrow(
      'variants.matmul: expected one of',
    );
    await expect(load({ memoryBudgetBytes: NaN })).rejects.toThrow(OptionError);
  });
});
