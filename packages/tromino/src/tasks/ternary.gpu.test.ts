import { expect, it } from 'vitest';
import { createTestDevice } from '../exec/testing/test_device.ts';
import { loadGenerator, type Generator, type LoadOptions } from '../index.ts';

const url = new URL('/packages/tromino/test/fixtures/checkpoints/bitnet-lm-autobitlinear/', location.origin)
  .href;

const input = { ids: [5, 6, 7, 8, 9, 10, 11] };

it('a ternary model owns two bits for each weight of its projections on the device', async () => {
  using model = await loadGenerator(url, { backend: 'webgpu' });
  // As in ternary.test.ts: 27,732 bytes are codes and scales of 110,592 weights.
  expect(model.memory().categories.weights.currentBytes).toBe(195_668);
  expect((27_732 * 8) / 110_592).toBeLessThan(2.1);
});

it('gives the same bits by packed products and by plain ones', async () => {
  const load = (variant: string): Promise<Generator> =>
    loadGenerator(url, { backend: 'webgpu', variants: { matmul_ternary: variant } });
  using packed = await load('matmul_tile2x4_dot4_ternary_i8');
  using plain = await load('matmul_tile2x4_ternary_i8');
  const variantsOf = (model: Generator): string[] => [
    ...new Set(
      model
        .plan(7)
        .steps.flatMap((step) =>
          step.kind === 'dispatch' && step.op === 'matmul_ternary' ? [step.variant] : [],
        ),
    ),
  ];
  // The last layer's tail has one row, but the forced variant takes any number.
  expect(variantsOf(packed)).toEqual(['matmul_tile2x4_dot4_ternary_i8']);
  expect(variantsOf(plain)).toEqual(['matmul_tile2x4_ternary_i8']);
  const [a, b] = [await packed.lastLogits(input), await plain.lastLogits(input)];
  expect(new Uint32Array(a.buffer)).toEqual(new Uint32Array(b.buffer));
});

it('gives a row the same bits alone, in a batch, in slices and without shared storage', async () => {
  const load = (options: LoadOptions): Promise<Generator> =>
    loadGenerator(url, { backend: 'webgpu', ...options });
  using model = await load({});
  using sliced = await load({ layersPerSlice: 1, reuse: 'off' });
  const alone = await model.lastLogits(input);
  const [, inBatch] = await model.lastLogits([{ ids: [1, 2, 3] }, input, { ids: [4] }]);
  const words = (values: Float32Array | undefined): Uint32Array =>
    new Uint32Array((values ?? new Float32Array()).slice().buffer);
  expect(words(inBatch)).toEqual(words(alone));
  expect(words(await sliced.lastLogits(input))).toEqual(words(alone));
});

it('gives the same bits where a binding limit cuts its matrices', async () => {
  const limitBytes = 3000;
  using whole = await loadGenerator(url, { backend: 'webgpu' });
  const short = { ids: input.ids.slice(0, 2) };
  const expected = await whole.lastLogits(short);
  const cut = await createTestDevice({ maxStorageBufferBindingSize: limitBytes });
  {
    using model = await loadGenerator(url, { device: cut.device });
    const { weights } = model.plan(2);
    const runs = weights.filter(({ weight, lines }) => weight.endsWith('.codes') && lines !== undefined);
    expect(runs.length).toBeGreaterThan(3);
    expect(weights.every(({ sizeBytes }) => sizeBytes <= limitBytes)).toBe(true);
    expect(await model.lastLogits(short)).toEqual(expected);
  }
  expect([...cut.live]).toEqual([]);
  expect(cut.uncaptured).toEqual([]);
  cut.device.destroy();
});
