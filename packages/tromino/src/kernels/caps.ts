/**
 * What an adapter can do, as plain data: variants are chosen from it without a GPU in sight, and a plan can be made for a device that
 * is not here. Field names are WebGPU's own limit names.
 */
export interface DeviceCaps {
  readonly features: readonly string[];
  /** What the shader language has beyond its core (`navigator.gpu.wgslLanguageFeatures`). */
  readonly languageFeatures: readonly string[];
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly minUniformBufferOffsetAlignment: number;
  readonly minStorageBufferOffsetAlignment: number;
  /** Smallest and largest subgroup that a kernel may meet; 0 where the adapter has none. */
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
}

/** The limits that every WebGPU device has (WebGPU specification, section "Limits"). */
export const defaultCaps: DeviceCaps = {
  features: [],
  languageFeatures: [],
  maxStorageBufferBindingSize: 134_217_728,
  maxBufferSize: 268_435_456,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupsPerDimension: 65_535,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  subgroupMinSize: 0,
  subgroupMaxSize: 0,
};
