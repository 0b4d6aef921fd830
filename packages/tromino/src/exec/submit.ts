import type { RecordedDispatch, Recording } from './record.ts';

/**
 * Encodes a recording and submits it. Each uninterrupted run of dispatches shares one compute pass; a copy, which cannot be inside a pass,
 * ends it.
 */
export function submit(device: GPUDevice, recording: Recording): void {
  const encoder = device.createCommandEncoder();
  let pass: GPUComputePassEncoder | undefined;
  let bound: GPUComputePipeline | undefined;
  for (const operation of recording) {
    if (operation.kind === 'dispatch') {
      if (!pass) {
        pass = encoder.beginComputePass();
        bound = undefined;
      }
      bound = encodeDispatch(pass, operation, bound);
    } else {
      pass?.end();
      pass = undefined;
      const { source, destination, destinationOffset, sizeBytes } = operation;
      encoder.copyBufferToBuffer(source, 0, destination, destinationOffset, sizeBytes);
    }
  }
  pass?.end();
  device.queue.submit([encoder.finish()]);
}

function encodeDispatch(
  pass: GPUComputePassEncoder,
  dispatch: RecordedDispatch,
  bound: GPUComputePipeline | undefined,
): GPUComputePipeline {
  const { pipeline, bindGroup, uniformOffsets, workgroups } = dispatch;
  if (pipeline !== bound) pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup, uniformOffsets);
  pass.dispatchWorkgroups(workgroups[0], workgroups[1]);
  return pipeline;
}
