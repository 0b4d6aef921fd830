import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DeviceLostError, GpuError, loadClassifier, type Classifier, type LoadOptions } from '../index.ts';
import { createTestDevice, type TestDevice } from './testing/test_device.ts';

const url = new URL('/packages/tromino/test/fixtures/checkpoints/llama-seqcls/', location.origin).href;
const otherUrl = new URL('../qwen2-seqcls/', url).href;
const short = [33, 7, 210];

/** One device for what does not lose it: on a software adapter, compiling takes longer than everything else. */
let shared: TestDevice;
const models: Classifier[] = [];

async function load(options: LoadOptions = {}, from = url): Promise<Classifier> {
  const model = await loadClassifier(from, { device: shared.device, ...options });
  models.push(model);
  return model;
}

/** How many answers of the device `work` waits for. */
async function answersOf(work: () => Promise<unknown>): Promise<number> {
  const before = shared.asked();
  await work();
  return shared.asked() - before;
}

beforeAll(async () => {
  shared = await createTestDevice();
});

afterEach(() => {
  for (const model of models) model.dispose();
  models.length = 0;
  expect([...shared.live]).toEqual([]);
  expect(shared.uncaptured).toEqual([]);
});

// Each answer needs a device of its own, with kernels of its own: on a busy machine with a software adapter, minutes.
describe('a device that is lost at any await', { timeout: 400_000 }, () => {
  it('of a load makes the load fail within a second, and leaves nothing', async () => {
    const answers = await answersOf(() => load());
    expect(answers).toBeGreaterThanOrEqual(4);
    for (let n = 1; n <= answers; n++) {
      const own = await createTestDevice();
      let lostAt = NaN;
      own.beforeAsking(n, () => {
        lostAt = performance.now();
        own.device.destroy();
      });
      await expect(load({ device: own.device }), `answer ${n}`).rejects.toThrow(DeviceLostError);
      expect(performance.now() - lostAt).toBeLessThan(1000);
      expect([...own.live]).toEqual([]);
    }
  });

  it('of a run makes the run fail within a second, and the model owns nothing more', async () => {
    const probe = await load();
    const compilations = probe.plan(short.length).steps.length;
    const answers = await answersOf(() => probe.classify(short));
    expect(answers).toBeGreaterThanOrEqual(6);
    for (let n = 1; n <= answers; n++) {
      const own = await createTestDevice();
      const model = await load({ device: own.device });
      let lostAt = NaN;
      own.beforeAsking(n, () => {
        lostAt = performance.now();
        own.device.destroy();
      });
      await expect(model.classify(short), `answer ${n} of ${compilations}`).rejects.toThrow(DeviceLostError);
      expect(performance.now() - lostAt).toBeLessThan(1000);
      expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
      expect([...own.live]).toEqual([]);
      await expect(model.classify(short)).rejects.toThrow(DeviceLostError);
    }
  });
});

describe('an abort at any await', () => {
  it('of a load rejects it with the reason, or comes too late for it; nothing stays', async () => {
    const answers = await answersOf(() => load());
    models.pop()?.dispose();
    for (let n = 1; n <= answers; n++) {
      const controller = new AbortController();
      const reason = new Error(`stopped at ${n}`);
      shared.beforeAsking(n, () => {
        controller.abort(reason);
      });
      await expect(load({ signal: controller.signal })).rejects.toBe(reason);
      await expect.poll(() => shared.live.size).toBe(0);
    }
  });

  it.each([1, 'all'] as const)(
    'of a run in slices of %s leaves weights alone, and the next call is right',
    async (layersPerSlice) => {
      const model = await load({ layersPerSlice });
      const weights = shared.live.size;
      const { logits } = await model.classify(short);
      await model.release();
      const answers = await answersOf(() => model.classify(short));
      for (let n = 1; n <= answers; n++) {
        await model.release();
        const controller = new AbortController();
        const reason = new Error(`stopped at ${n}`);
        shared.beforeAsking(n, () => {
          controller.abort(reason);
        });
        await expect(model.classify(short, { signal: controller.signal }), `answer ${n}`).rejects.toBe(
          reason,
        );
        expect((await model.classify(short)).logits).toEqual(logits);
        await model.release();
        expect(shared.live.size).toBe(weights);
        expect(model.memory().currentBytes).toBe(model.plan(1).bytes.weights);
      }
    },
  );
});

describe('a mapping that fails', () => {
  it('is an error that says so, never zeros; the next call is right', async () => {
    const model = await load();
    const { logits } = await model.classify(short);
    const { currentBytes } = model.memory();
    shared.failMapAt(1);
    const failed = model.classify(short);
    await expect(failed).rejects.toThrow(GpuError);
    await expect(failed).rejects.toThrow('submission: the fence failed: refused for a test');
    expect((await model.classify(short)).logits).toEqual(logits);
    expect(model.memory().currentBytes).toBe(currentBytes);
  });

  it('fails a tap in the same way', async () => {
    const model = await load();
    await model.classify(short);
    const { currentBytes } = model.memory();
    shared.failMapAt(3);
    let steps = 0;
    await expect(
      model.tap(short, () => {
        steps++;
      }),
    ).rejects.toThrow(GpuError);
    expect(steps).toBe(2);
    await model.classify(short);
    expect(model.memory().currentBytes).toBe(currentBytes);
  });
});

describe('a tap whose callback never returns', () => {
  it('lets go of the device when it is aborted', async () => {
    const model = await load();
    const controller = new AbortController();
    const never = model.tap(short, () => new Promise<void>(() => undefined), { signal: controller.signal });
    const waiting = model.classify(short);
    controller.abort();
    await expect(never).rejects.toMatchObject({ name: 'AbortError' });
    expect((await waiting).numTokens).toBe(3);
  });
});

describe('models that come and go', () => {
  it('do not disturb each other: load A, dispose A, load B; load A and B, dispose A, run B', async () => {
    const first = await load();
    const { logits } = await first.classify(short);
    first.dispose();
    const alone = await load({}, otherUrl);
    const expected = await alone.classify(short);
    alone.dispose();
    expect(shared.live.size).toBe(0);

    const [a, b] = await Promise.all([load(), load({}, otherUrl)]);
    expect((await a.classify(short)).logits).toEqual(logits);
    a.dispose();
    expect((await b.classify(short)).logits).toEqual(expected.logits);
    expect(a.memory().currentBytes).toBe(0);
    expect(b.memory().currentBytes).toBe(b.plan(short.length).bytes.peak);
  });

  it('of one checkpoint on two devices answer with the same bits, also at the same time', async () => {
    const own = await createTestDevice();
    const [here, there] = await Promise.all([load(), load({ device: own.device })]);
    const answers = await Promise.all([
      here.classify(short),
      there.classify(short),
      there.classify([5]),
      here.classify([5]),
    ]);
    expect(answers[0].logits).toEqual(answers[1].logits);
    expect(answers[3].logits).toEqual(answers[2].logits);
    there.dispose();
    expect(own.live.size).toBe(0);
    expect(own.uncaptured).toEqual([]);
    own.device.destroy();
    expect((await here.classify(short)).logits).toEqual(answers[0].logits);
  });

  it('stay as large as they are over a thousand calls', async () => {
    const model = await load();
    const { logits } = await model.classify(short);
    const before = { memory: model.memory(), live: [...shared.live], created: shared.created() };
    for (let call = 0; call < 1000; call++) await model.classify(short);
    expect({ memory: model.memory(), live: [...shared.live], created: shared.created() }).toEqual(before);
    expect((await model.classify(short)).logits).toEqual(logits);
  });
});
