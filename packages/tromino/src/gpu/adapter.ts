import type { DeviceCaps } from '../kernels/index.ts';
import { UnsupportedError } from '../util/errors.ts';

/** Who computes: a GPU's adapter as WebGPU describes it, or the portable backend. */
export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** True for an adapter that runs on the CPU: right, but never to be timed. */
  readonly isSoftware: boolean;
}

/** The `GPU` that was provided last, where the shader language's features are read without waiting. */
let providedGpu: GPU | undefined;

/** Where a `GPU` comes from: `navigator.gpu`, or Dawn in Node, which the Node entry installs. */
let provideGpu: () => Promise<GPU | undefined> = () => Promise.resolve(browserGpu());

function browserGpu(): GPU | undefined {
  return (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
}

/** Replaces where a `GPU` comes from. For entries of the package, not for users: they pass a device. */
export function setGpuProvider(provider: () => Promise<GPU | undefined>): void {
  provideGpu = provider;
}

/** The adapter of a fast GPU, or undefined where there is no WebGPU or no adapter. */
export async function findAdapter(): Promise<GPUAdapter | undefined> {
  return adapterOf(await provideGpu());
}

/** @throws UnsupportedError saying what is missing. */
export async function requireAdapter(): Promise<GPUAdapter> {
  const gpu = await provideGpu();
  providedGpu = gpu;
  if (!gpu)
    throw new UnsupportedError(
      'webgpu',
      'there is no WebGPU here; use backend "cpu" or a browser that has it',
    );
  const adapter = await adapterOf(gpu);
  if (!adapter)
    throw new UnsupportedError('webgpu', 'WebGPU is here but offers no adapter; use backend "cpu"');
  return adapter;
}

async function adapterOf(gpu: GPU | undefined): Promise<GPUAdapter | undefined> {
  return (await gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? undefined;
}

/** The adapter in words, from its own information. */
export function describeAdapter(info: GPUAdapterInfo): AdapterDescription {
  const { vendor, architecture, device, description } = info;
  const isFallback = 'isFallbackAdapter' in info && info.isFallbackAdapter;
  const isSoftware =
    isFallback ||
    /swiftshader|llvmpipe|lavapipe|software|basic render/i.test(`${architecture} ${device} ${description}`);
  return { vendor, architecture, device, description, isSoftware };
}

/** Limits and features as plain data. */
export function capsOf(source: GPUAdapter | GPUDevice, info: GPUAdapterInfo): DeviceCaps {
  const { limits, features } = source;
  return {
    features: [...features].sort(),
    languageFeatures: languageFeatures(),
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxBufferSize: limits.maxBufferSize,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    minUniformBufferOffsetAlignment: limits.minUniformBufferOffsetAlignment,
    minStorageBufferOffsetAlignment: limits.minStorageBufferOffsetAlignment,
    subgroupMinSize: info.subgroupMinSize,
    subgroupMaxSize: info.subgroupMaxSize,
  };
}

/** Empty where no `GPU` is known yet, as with a caller's own device in Node: then kernels do without. */
function languageFeatures(): string[] {
  const gpu = providedGpu ?? browserGpu();
  // Older implementations have no such set.
  const features = (gpu as { readonly wgslLanguageFeatures?: Iterable<string> } | undefined)
    ?.wgslLanguageFeatures;
  return [...(features ?? [])].sort();
}
