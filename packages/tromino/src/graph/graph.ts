import type { OpName, Problem } from '../kernels/index.ts';
import type { DType, StoredDType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';

/** Index of a value within its graph. */
export type ValueId = number;

/** How to make a constant's data on the host; plain data, so that a plan can carry it. */
export interface RopeTableRecipe {
  readonly kind: 'rope_table';
  /** Radians per position, one for each pair of rotated elements. */
  readonly inverseFrequencies: readonly number[];
  readonly numPositions: number;
}

/** Indices that a graph knows beforehand. */
export interface IndexTableRecipe {
  readonly kind: 'index_table';
  readonly indices: readonly number[];
}

/** How to make any constant's data. */
export type ConstantRecipe = RopeTableRecipe | IndexTableRecipe;

/** Where a value's data comes from. */
export type ValueOrigin =
  | { readonly kind: 'input' }
  | { readonly kind: 'weight'; readonly weight: string }
  | { readonly kind: 'constant'; readonly recipe: ConstantRecipe }
  | { readonly kind: 'node'; readonly node: number };

/** A tensor of the graph: row-major, on the device. */
export interface GraphValue {
  readonly id: ValueId;
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
  readonly origin: ValueOrigin;
}

/** One op applied to values. `operands` maps the contract's operand names to values; absent optional operands are left out. */
export interface GraphNode {
  readonly op: OpName;
  /** Where in the model this is, in the checkpoint's own terms: `model.layers.3.self_attn.o_proj`. */
  readonly label: string;
  /** Transformer layer this belongs to; -1 before the first, the number of layers after the last. */
  readonly layer: number;
  readonly problem: Problem;
  readonly operands: Readonly<Record<string, ValueId>>;
}

/** A model for one batch shape: nodes in execution order, all shapes known. */
export interface ModelGraph {
  readonly values: readonly GraphValue[];
  readonly nodes: readonly GraphNode[];
  readonly inputs: Readonly<Record<string, ValueId>>;
  readonly outputs: Readonly<Record<string, ValueId>>;
}

/** One tensor of the checkpoint that makes up a weight, with the shape that it must have there. */
export interface WeightPart {
  readonly tensor: string;
  readonly shape: Shape;
}

/**
 * A weight of floats: one tensor, or several stacked along their first dimension (query, key and value projections become one matrix, so
 * that one dispatch computes all three). Its parts become f32 and go to the device as they stream by.
 */
export interface StackedWeight {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: 'f32';
  readonly parts: readonly WeightPart[];
}

/** A weight that the host computes from whole tensors, as packed codes are. */
export interface AssembledWeight {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: DType;
  /** Shared by all weights that come of the same tensors. */
  readonly assembly: WeightAssembly;
}

/** A weight as the graph uses it. */
export type WeightSpec = StackedWeight | AssembledWeight;

/** A tensor that an assembly reads, and how it must be stored. */
export interface AssemblyTensor extends WeightPart {
  readonly dtypes: readonly StoredDType[];
}

/** A whole tensor as the checkpoint stores it. */
export interface StoredTensor {
  readonly name: string;
  readonly dtype: StoredDType;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
}

/** A weight's elements as the device has them. */
export type WeightValues = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** How weights are made of whole tensors, a few matrices at a time: all of `tensors` are in memory at once, and nothing else. */
export interface WeightAssembly {
  readonly tensors: readonly AssemblyTensor[];
  /**
   * @param tensors in the order of the list above, with its shapes and one of its types.
   * @returns the elements of each weight, by its name.
   * @throws FormatError where a tensor holds what its format does not have.
   */
  assemble(tensors: readonly StoredTensor[]): Readonly<Record<string, WeightValues>>;
}

/** The size of a ragged batch: rows of tokens packed one behind the other, without padding. */
export interface BatchShape {
  readonly numTokens: number;
  readonly numRows: number;
  /** Tokens of the longest row. */
  readonly maxRowTokens: number;
  /** Highest place within a row plus one; above `maxRowTokens` only where an attention mask has holes or padding on the left counts. */
  readonly numPositions: number;
  /** Questions in all rows, in models whose rows hold questions; one for each row where left out. */
  readonly numQuestions?: number | undefined;
  /** Pairs of a question with a token of its row; as with one question for each row where left out. */
  readonly numPairs?: number | undefined;
  /** Which of the model's outputs is wanted; its first where left out. */
  readonly output?: string | undefined;
  /** What to search for, where the output is of spans. */
  readonly spanSearch?: SpanSearch | undefined;
}

/** How answers are searched for. */
export interface SpanSearch {
  /** Answers wanted of each row. */
  readonly topK: number;
  readonly maxAnswerTokens: number;
}

/** The search of a call that says nothing else. */
export const defaultSpanSearch: SpanSearch = { topK: 1, maxAnswerTokens: 30 };
