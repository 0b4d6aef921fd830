import type { DType } from '../tensor/dtype.ts';
import type { DeviceCaps } from './caps.ts';

/** The sizes and flags of one use of an op: plain data, so that a plan made of them can be serialised, hashed and compared. */
export type Problem = Readonly<Record<string, number | boolean | string>>;

/** One buffer that an op reads or writes. Optional operands may be absent; the problem's flags say so. */
export interface OperandSpec {
  readonly name: string;
  readonly role: 'input' | 'output';
  readonly dtype: DType;
  readonly optional?: boolean;
}

/** How far a variant may be from the f64 reference: |found - expected| <= absolute + relative * max |expected|. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

/** One 32-bit field of an op's uniform block, in WGSL struct order. */
export interface ParamField {
  readonly name: string;
  readonly type: 'u32' | 'f32';
}

/** How rows of a matrix lie in a buffer: one behind the other, or side by side, an element of each in every line. */
export type RowLayout = 'rows' | 'lines';

/** How an op's matrix may be cut into runs of rows, each in buffers and a dispatch of its own, where it is larger than a binding. */
export interface RowCut<P extends Problem> {
  /** Rows of the whole matrix. */
  numRows(problem: P): number;
  /** A run begins at a multiple of this many rows. */
  granule(problem: P): number;
  /** The operands that are cut; all others every dispatch gets whole. */
  layouts(problem: P): Readonly<Record<string, RowLayout>>;
  /** The problem of a run of rows. */
  slice(problem: P, firstRow: number, numRows: number): P;
}

/**
 * What every variant of an op promises: operands in binding order (binding 0 is the uniform block, operand i is binding i + 1), the
 * uniform block, the order in which sums are taken (in the docstring of each contract), and the tolerance that follows from it.
 */
export interface OpContract<P extends Problem> {
  readonly op: string;
  readonly operands: readonly OperandSpec[];
  readonly params: readonly ParamField[];
  readonly tolerance: Tolerance;
  /** The values of `params`, in order. */
  paramValues(problem: P): readonly number[];
  /** Elements of each operand, by name, for exactly this problem. Absent optional operands are left out. */
  operandLengths(problem: P): Readonly<Record<string, number>>;
  /** Left out where every operand must be whole. */
  readonly rowCut?: RowCut<P>;
}

/** One way to compute an op on a GPU. Its `id` is also the pipeline's label, the profiler's row and the test's title. */
export interface KernelVariant<P extends Problem> {
  /** `<op>[_<strategy>]_<weight dtype>_<activation dtype>`, or with the activation dtype alone where there are no weights. */
  readonly id: string;
  /** Entry point `main`; reads `workgroup_id` folded over x and y as `foldWorkgroups` lays it out. */
  readonly wgsl: string;
  /** Features of the device or of the shader language without which the shader does not compile. */
  readonly requires: readonly string[];
  /** Pipeline-overridable constants. Few distinct values, since each set is a pipeline of its own. */
  overrides(problem: P, caps: DeviceCaps): Readonly<Record<string, number>>;
  /** Whether this variant computes this problem within these limits. */
  fits(problem: P, caps: DeviceCaps): boolean;
  /** Workgroups to launch, before folding. */
  workgroups(problem: P, caps: DeviceCaps): number;
}

/** Operand arrays by name; the reference writes the outputs in place. */
export type OperandArrays = Readonly<Record<string, Float32Array | Uint32Array>>;

/** An op: its contract, its f64-accumulating reference and its variants, best first. The first that fits is the default choice. */
export interface OpDefinition<P extends Problem> {
  readonly contract: OpContract<P>;
  readonly variants: readonly KernelVariant<P>[];
  reference(problem: P, operands: OperandArrays): void;
}

/**
 * Spreads a number of workgroups over x and y, since one dimension takes 65,535 at most. Kernels undo it with
 * `workgroup_id.x + workgroup_id.y * num_workgroups.x` and return at once where that is beyond their last workgroup.
 */
export function foldWorkgroups(count: number, caps: DeviceCaps): readonly [number, number] {
  const limit = caps.maxComputeWorkgroupsPerDimension;
  if (count <= limit) return [Math.max(count, 1), 1];
  const rows = Math.ceil(count / limit);
  return [Math.ceil(count / rows), rows];
}

/** A uniform block's size: its 32-bit fields, rounded up to 16 bytes as WGSL rounds a uniform struct's size. */
export function parameterBlockBytes(contract: OpContract<Problem>): number {
  return Math.ceil((contract.params.length * 4) / 16) * 16;
}
