import type { RecordedCopy, RecordedDispatch, Recording } from './record.ts';

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
      encodeDispatch(pass, operation, bound);
      bound = operation.pipeline;
    } else {
      pass?.end();
      pass = undefined;
      encodeCopy(encoder, operation);
    }
  }
  pass?.end();
  device.queue.submit([encoder.finish()]);
}

/** Encodes one dispatch. @param bound the pipeline that the pass has already. */
export function encodeDispatch(
  pass: GPUComputePassEncoder,
  { pipeline, bindGroup, uniformOffsets, workgroups }: RecordedDispatch,
  bound?: GPUComputePipeline,
): void {
  if (pipeline !== bound) pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup, uniformOffsets);
  pass.dispatchWorkgroups(workgroups[0], workgroups[1]);
}

/** Encodes one copy, outside of any pass. */
function encodeCopy(encoder: GPUCommandEncoder, copy: RecordedCopy): void {
  const { source, destination, destinationOffset, sizeBytes } = copy;
  encoder.copyBufferToBuffer(source.buffer, source.offset, destination, destinationOffset, sizeBytes);
}
