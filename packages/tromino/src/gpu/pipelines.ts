import { parameterBlockBytes, type KernelVariant, type OpContract, type Problem } from '../kernels/index.ts';
import { GpuError } from '../util/errors.ts';

/** A compiled pipeline with the layout that its bind groups must have. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/**
 * Pipelines of one device, made when first needed and shared by all models on it. Creation is asynchronous, so the page never waits for
 * the compiler, and each pipeline is compiled once however many ask for it at the same time.
 */
export class PipelineCache {
  readonly #device: GPUDevice;
  readonly #pipelines = new Map<string, Promise<Pipeline>>();
  readonly #modules = new Map<string, GPUShaderModule>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Pipelines compiled or being compiled so far. */
  get size(): number {
    return this.#pipelines.size;
  }

  /** @throws GpuError with the compiler's message and the place in the shader. */
  get(
    contract: OpContract<Problem>,
    variant: KernelVariant<Problem>,
    overrides: Readonly<Record<string, number>>,
  ): Promise<Pipeline> {
    const key = `${variant.id} ${JSON.stringify(overrides)}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const created = this.#create(contract, variant, overrides);
    this.#pipelines.set(key, created);
    // A failure is not kept: the next call may have a device that can.
    created.catch(() => this.#pipelines.delete(key));
    return created;
  }

  async #create(
    contract: OpContract<Problem>,
    variant: KernelVariant<Problem>,
    overrides: Readonly<Record<string, number>>,
  ): Promise<Pipeline> {
    const layout = this.#layout(contract);
    const module = this.#module(variant);
    try {
      const pipeline = await this.#device.createComputePipelineAsync({
        label: variant.id,
        layout: this.#device.createPipelineLayout({ label: contract.op, bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: 'main', constants: overrides },
      });
      return { pipeline, layout };
    } catch (error) {
      const detail =
        (await compilerError(module)) ?? (error instanceof Error ? error.message : String(error));
      throw new GpuError(`${variant.id}: the device refused the kernel: ${detail}`, { cause: error });
    }
  }

  #module(variant: KernelVariant<Problem>): GPUShaderModule {
    const known = this.#modules.get(variant.id);
    if (known) return known;
    const module = this.#device.createShaderModule({ label: variant.id, code: variant.wgsl });
    this.#modules.set(variant.id, module);
    return module;
  }

  #layout(contract: OpContract<Problem>): GPUBindGroupLayout {
    const known = this.#layouts.get(contract.op);
    if (known) return known;
    const layout = this.#device.createBindGroupLayout({
      label: contract.op,
      entries: [
        {
          binding: 0,
          visibility: GPUShaderStage.COMPUTE,
          buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: parameterBlockBytes(contract) },
        },
        ...contract.operands.map(({ role }, index) => ({
          binding: index + 1,
          visibility: GPUShaderStage.COMPUTE,
          buffer: { type: role === 'output' ? ('storage' as const) : ('read-only-storage' as const) },
        })),
      ],
    });
    this.#layouts.set(contract.op, layout);
    return layout;
  }
}

/** The first error in a shader. A refused pipeline says only that its shader is invalid. */
async function compilerError(module: GPUShaderModule): Promise<string | undefined> {
  const info = await module.getCompilationInfo().catch(() => undefined);
  const first = info?.messages.find(({ type }) => type === 'error');
  return first && `line ${first.lineNum}, column ${first.linePos}: ${first.message}`;
}
