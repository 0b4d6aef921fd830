import { afterEach, beforeEach, expect, it } from 'vitest';
import { ops, type KernelVariant, type OpContract, type Problem } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import { GpuError } from '../util/errors.ts';
import { PipelineCache } from './pipelines.ts';

const contract = ops.add.contract as unknown as OpContract<Problem>;
const [sound] = ops.add.variants as unknown as readonly [KernelVariant<Problem>];
let device: GPUDevice;

beforeEach(async () => {
  device = await must(await navigator.gpu.requestAdapter(), 'adapter').requestDevice();
});

afterEach(() => {
  device.destroy();
});

it('compiles a kernel once for all who ask for it at the same time', async () => {
  const cache = new PipelineCache(device);
  const [first, second] = await Promise.all([cache.get(contract, sound, {}), cache.get(contract, sound, {})]);
  expect(second).toBe(first);
  expect(cache.size).toBe(1);
});

it('names the kernel, the place and what the compiler says of it, and keeps no failure', async () => {
  const cache = new PipelineCache(device);
  const broken = { ...sound, id: 'add_broken', wgsl: `${sound.wgsl}\nfn broken() -> f32 { return true; }` };
  const line = broken.wgsl.split('\n').length;
  const failing = cache.get(contract, broken, {});
  await expect(failing).rejects.toThrow(GpuError);
  await expect(failing).rejects.toThrow(new RegExp(`^add_broken: .*line ${line}, column \\d+: .*bool`, 's'));
  expect(cache.size).toBe(0);
});
