/* eslint-disable no-restricted-syntax --
   Kernels are below gpu/ and are tested without it, so this harness is a small device layer of its own. */
import {
  defaultCaps,
  foldWorkgroups,
  parameterBlockBytes,
  type DeviceCaps,
  type KernelVariant,
  type OpContract,
  type OperandArrays,
  type Problem,
} from '../index.ts';

/** Bytes before and after each operand that no kernel may touch; a multiple of the alignment of binding offsets. */
const guardBytes = 256;

/** What the guards are filled with. */
const sentinel = 0x5ea71e55;

let sharedDevice: Promise<GPUDevice> | undefined;
const pipelines = new Map<string, Promise<GPUComputePipeline>>();

/** The browser's device with the default limits. No adapter is a failure, never a skip. */
function testDevice(): Promise<GPUDevice> {
  sharedDevice ??= (async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new Error('this browser offers no WebGPU adapter');
    return adapter.requestDevice();
  })();
  return sharedDevice;
}

/**
 * Runs a variant on the browser's WebGPU device.
 *
 * @param operands the inputs, and the outputs as they are before the run (poison, or what must stay).
 * @param caps limits to lay the dispatch out for; lower ones than the device has exercise the folding.
 * @returns the outputs, by name.
 * @throws Error where the shader does not compile, the device reports an error, or memory beside an output was written.
 */
export async function runVariant<P extends Problem>(
  contract: OpContract<P>,
  variant: KernelVariant<P>,
  problem: P,
  operands: OperandArrays,
  caps: DeviceCaps = defaultCaps,
): Promise<Readonly<Record<string, Float32Array>>> {
  const device = await testDevice();
  const pipeline = await pipelineOf(device, contract, variant, variant.overrides(problem, caps));
  device.pushErrorScope('validation');
  const uniforms = uploadParams(device, contract, problem);
  const buffers = new Map<string, Binding>();
  for (const [name, length] of Object.entries(contract.operandLengths(problem))) {
    buffers.set(name, uploadOperand(device, contract, operands, name, length));
  }
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bindings(contract, uniforms, buffers),
  });
  const outputs = contract.operands.filter(({ role }) => role === 'output').map(({ name }) => name);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  pass.dispatchWorkgroups(...foldWorkgroups(variant.workgroups(problem, caps), caps));
  pass.end();
  const readbacks = outputs.map((name) => copyBack(device, encoder, bindingOf(buffers, name)));
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(`${variant.id}: ${error.message}`);
  const results: Record<string, Float32Array> = {};
  for (const [index, name] of outputs.entries()) {
    const readback = readbacks[index] as GPUBuffer;
    results[name] = await readGuarded(readback, bindingOf(buffers, name), `${variant.id} ${name}`);
  }
  for (const { buffer } of buffers.values()) buffer.destroy();
  uniforms.destroy();
  return results;
}

interface Binding {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

function pipelineOf<P extends Problem>(
  device: GPUDevice,
  contract: OpContract<P>,
  variant: KernelVariant<P>,
  constants: Readonly<Record<string, number>>,
): Promise<GPUComputePipeline> {
  const key = JSON.stringify([variant.wgsl, constants]);
  let pipeline = pipelines.get(key);
  if (!pipeline) {
    pipeline = createPipeline(device, contract, variant, constants);
    pipelines.set(key, pipeline);
  }
  return pipeline;
}

async function createPipeline<P extends Problem>(
  device: GPUDevice,
  contract: OpContract<P>,
  variant: KernelVariant<P>,
  constants: Readonly<Record<string, number>>,
): Promise<GPUComputePipeline> {
  const visibility = GPUShaderStage.COMPUTE;
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility, buffer: { type: 'uniform' } },
      ...contract.operands.map(({ role }, index) => ({
        binding: index + 1,
        visibility,
        buffer: { type: role === 'output' ? ('storage' as const) : ('read-only-storage' as const) },
      })),
    ],
  });
  const module = device.createShaderModule({ label: variant.id, code: variant.wgsl });
  const { messages } = await module.getCompilationInfo();
  if (messages.length > 0) {
    throw new Error(`${variant.id}: ${messages.map((m) => `line ${m.lineNum}: ${m.message}`).join('\n')}`);
  }
  return device.createComputePipelineAsync({
    label: variant.id,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: 'main', constants },
  });
}

function uploadParams<P extends Problem>(device: GPUDevice, contract: OpContract<P>, problem: P): GPUBuffer {
  const size = parameterBlockBytes(contract);
  const buffer = device.createBuffer({ size, usage: GPUBufferUsage.UNIFORM, mappedAtCreation: true });
  const block = new DataView(buffer.getMappedRange());
  const values = contract.paramValues(problem);
  contract.params.forEach(({ type }, index) => {
    const value = values[index] as number;
    if (type === 'f32') block.setFloat32(index * 4, value, true);
    else block.setUint32(index * 4, value, true);
  });
  buffer.unmap();
  return buffer;
}

function uploadOperand<P extends Problem>(
  device: GPUDevice,
  contract: OpContract<P>,
  operands: OperandArrays,
  name: string,
  length: number,
): Binding {
  const values = operands[name];
  if (values?.length !== length) {
    throw new Error(
      `${contract.op} ${name}: expected ${length} elements, found ${values?.length ?? 'nothing'}`,
    );
  }
  const size = length * 4;
  const buffer = device.createBuffer({
    size: guardBytes + size + guardBytes,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
    mappedAtCreation: true,
  });
  const words = new Uint32Array(buffer.getMappedRange()).fill(sentinel);
  words.set(new Uint32Array(values.buffer, values.byteOffset, length), guardBytes / 4);
  buffer.unmap();
  return { buffer, offset: guardBytes, size };
}

function bindings<P extends Problem>(
  contract: OpContract<P>,
  uniforms: GPUBuffer,
  buffers: ReadonlyMap<string, Binding>,
): GPUBindGroupEntry[] {
  const standIn = bindingOf(buffers, contract.operands[0]?.name ?? '');
  return [
    { binding: 0, resource: { buffer: uniforms } },
    ...contract.operands.map(({ name, optional }, index) => ({
      binding: index + 1,
      resource: optional ? (buffers.get(name) ?? standIn) : bindingOf(buffers, name),
    })),
  ];
}

function bindingOf(buffers: ReadonlyMap<string, Binding>, name: string): Binding {
  const binding = buffers.get(name);
  if (!binding) throw new Error(`operand ${name} has no buffer`);
  return binding;
}

function copyBack(device: GPUDevice, encoder: GPUCommandEncoder, { buffer }: Binding): GPUBuffer {
  const readback = device.createBuffer({
    size: buffer.size,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
  return readback;
}

async function readGuarded(
  readback: GPUBuffer,
  { offset, size }: Binding,
  subject: string,
): Promise<Float32Array> {
  await readback.mapAsync(GPUMapMode.READ);
  const bytes = readback.getMappedRange().slice(0);
  readback.destroy();
  const before = new Uint32Array(bytes, 0, offset / 4);
  const after = new Uint32Array(bytes, offset + size);
  if ([...before, ...after].some((word) => word !== sentinel)) {
    throw new Error(`${subject}: memory beside the output was written`);
  }
  return new Float32Array(bytes, offset, size / 4);
}
