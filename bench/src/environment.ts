import type { Environment } from './result.ts';

const reportedLimits = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
  'minStorageBufferOffsetAlignment',
] as const;

/**
 * Describes the page's browser, adapter and clock.
 * @throws Error where there is no WebGPU or no adapter: nothing could be measured.
 */
export async function describeEnvironment(): Promise<Environment> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('WebGPU offers no adapter');
  const { vendor, architecture, device, description } = adapter.info;
  return {
    adapter: { vendor, architecture, device, description },
    isSoftware: isSoftware(adapter.info),
    browser: await browserVersion(),
    crossOriginIsolated,
    timerResolutionMs: timerResolution(() => performance.now()),
    features: [...adapter.features].sort(),
    limits: Object.fromEntries(reportedLimits.map((name) => [name, adapter.limits[name]])),
  };
}

/** An adapter that computes on the CPU: its answers count, its times do not. An adapter that does not say who it is counts as one. */
function isSoftware({
  vendor,
  architecture,
  device,
  description,
  isFallbackAdapter,
}: GPUAdapterInfo): boolean {
  const name = `${vendor} ${architecture} ${device} ${description}`;
  return (
    isFallbackAdapter || vendor === '' || /swiftshader|llvmpipe|lavapipe|software|basic render/i.test(name)
  );
}

interface UserAgentData {
  getHighEntropyValues(hints: readonly string[]): Promise<{
    readonly fullVersionList?: readonly { readonly brand: string; readonly version: string }[];
  }>;
}

/** Name and full version where the browser tells them; its user-agent string hides all but the first number. */
async function browserVersion(): Promise<string> {
  const { userAgentData } = navigator as { readonly userAgentData?: UserAgentData };
  const { fullVersionList = [] } = (await userAgentData?.getHighEntropyValues(['fullVersionList'])) ?? {};
  const named = fullVersionList.filter(({ brand }) => !/not.*brand/i.test(brand));
  return named.map(({ brand, version }) => `${brand} ${version}`).join(', ') || navigator.userAgent;
}

const timerSteps = 200;

/** The smallest step that a clock was seen to make. */
export function timerResolution(now: () => number): number {
  let smallest = Infinity;
  for (let step = 0; step < timerSteps; step++) {
    const start = now();
    let end = start;
    while (end === start) end = now();
    smallest = Math.min(smallest, end - start);
  }
  return smallest;
}
