import type { ConstantRecipe } from '../graph/graph.ts';
import { ops, type OpDefinition, type OpName, type Problem } from '../kernels/index.ts';
import type { DType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';

/** One buffer of the plan, by kind and index into the list of that kind; used whole. */
export interface WholeBufferRef {
  readonly kind: 'weight' | 'constant' | 'input' | 'readback';
  readonly index: number;
}

/** A range of one buffer of the workspace. */
export interface ArenaRef {
  readonly kind: 'arena';
  readonly index: number;
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/** What a step reads or writes. */
export type BufferRef = WholeBufferRef | ArenaRef;

/** A run of whole rows of a weight in one buffer. A weight larger than a binding is cut into several. */
export interface PlannedWeight {
  readonly weight: string;
  readonly firstRow: number;
  readonly numRows: number;
  readonly sizeBytes: number;
  /** Where its first element is among the whole weight's. */
  readonly firstElement: number;
  /** Where the rows of a weight that is cut lie side by side: in how many lines, and how long those of the whole weight are. */
  readonly lines?: { readonly count: number; readonly length: number };
}

/** Data that the host computes once for all runs of the plan. */
export interface PlannedConstant {
  readonly recipe: ConstantRecipe;
  readonly sizeBytes: number;
}

/** A buffer that the host writes before each run, and that nothing else ever uses. */
export interface PlannedInput {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly sizeBytes: number;
}

/** One buffer of the workspace: its bytes serve one intermediate after the other. */
export interface PlannedArena {
  readonly sizeBytes: number;
}

/** Where an output stands in the readback buffer. */
export interface PlannedOutput {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/** One dispatch of one kernel. */
export interface DispatchStep {
  readonly kind: 'dispatch';
  readonly op: OpName;
  /** The node of the graph that it computes, or a part of. */
  readonly label: string;
  readonly layer: number;
  readonly problem: Problem;
  /** Id of the kernel variant. */
  readonly variant: string;
  readonly overrides: Readonly<Record<string, number>>;
  /** In binding order behind the uniform block; the second of each pair says whether the kernel writes it. */
  readonly operands: readonly (readonly [BufferRef, 'read' | 'write'])[];
  readonly uniformOffsetBytes: number;
  readonly workgroups: readonly [number, number];
}

/** One copy of an intermediate into the readback. */
export interface CopyStep {
  readonly kind: 'copy';
  readonly label: string;
  readonly from: BufferRef;
  readonly to: BufferRef;
  readonly toOffsetBytes: number;
  readonly sizeBytes: number;
}

/** One step of a run. */
export type PlanStep = DispatchStep | CopyStep;

/** A run of steps that is submitted at once; the host waits for its fence before the next. */
export interface PlannedSlice {
  readonly firstStep: number;
  /** One past the last. */
  readonly endStep: number;
}

/** Exactly the bytes that a run will have allocated; `peak` is their sum, as all are held at once. */
export interface PlanBytes {
  readonly weights: number;
  readonly workspace: number;
  readonly uniforms: number;
  readonly constants: number;
  readonly inputs: number;
  readonly readback: number;
  readonly peak: number;
}

/**
 * Everything that is decided before a run, as frozen plain data: what comes behind it allocates, records and submits but chooses nothing.
 */
export interface Plan {
  readonly weights: readonly PlannedWeight[];
  readonly constants: readonly PlannedConstant[];
  readonly inputs: readonly PlannedInput[];
  readonly arenas: readonly PlannedArena[];
  readonly outputs: readonly PlannedOutput[];
  readonly steps: readonly PlanStep[];
  /** Runs of steps, each submitted at once. */
  readonly slices: readonly PlannedSlice[];
  /** 32-bit words of the uniform buffer: every distinct parameter block, each at an aligned offset. */
  readonly uniformWords: readonly number[];
  readonly bytes: PlanBytes;
  /** Fingerprint of all of the above. */
  readonly hash: string;
}

/** What a run allocates beside the weights, by category. */
export function runBytes({ bytes }: Plan): Omit<PlanBytes, 'weights' | 'peak'> {
  const { workspace, uniforms, constants, inputs, readback } = bytes;
  return { workspace, uniforms, constants, inputs, readback };
}

/** The buffer that a step writes, and how many of its bytes are the step's output. */
export function stepOutput(step: DispatchStep): { readonly ref: BufferRef; readonly sizeBytes: number } {
  const definition: OpDefinition<Problem> = ops[step.op];
  const index = definition.contract.operands.findIndex(({ role }) => role === 'output');
  const name = must(definition.contract.operands[index], 'output operand').name;
  const numElements = must(definition.contract.operandLengths(step.problem)[name], name);
  return { ref: must(step.operands[index], name)[0], sizeBytes: numElements * 4 };
}
