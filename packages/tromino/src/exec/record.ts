/** Compute one dispatch: everything is made beforehand, so that submitting is a tight loop of native calls. */
export interface RecordedDispatch {
  readonly kind: 'dispatch';
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  /** The one dynamic offset: where this dispatch's parameters are in the uniform buffer. */
  readonly uniformOffsets: readonly [number];
  readonly workgroups: readonly [number, number];
}

export interface RecordedCopy {
  readonly kind: 'copy';
  readonly source: GPUBuffer;
  readonly destination: GPUBuffer;
  readonly destinationOffset: number;
  readonly sizeBytes: number;
}

export type RecordedOperation = RecordedDispatch | RecordedCopy;

/** What a run does, in order. Unlike a GPUCommandBuffer it can be submitted any number of times. */
export type Recording = readonly RecordedOperation[];
