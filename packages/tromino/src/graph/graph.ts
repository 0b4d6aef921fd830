import type { OpName, Problem } from '../kernels/index.ts';
import type { DType } from '../tensor/dtype.ts';
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

/** How to make any constant's data. */
export type ConstantRecipe = RopeTableRecipe;

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
 * A weight as the graph uses it: one tensor, or several stacked along their first dimension (query, key and value projections become
 * one matrix, so that one dispatch computes all three).
 */
export interface WeightSpec {
  readonly name: string;
  readonly shape: Shape;
  readonly parts: readonly WeightPart[];
}

/** The size of a ragged batch: rows of tokens packed one behind the other, without padding. */
export interface BatchShape {
  readonly numTokens: number;
  readonly numRows: number;
  /** Tokens of the longest row. */
  readonly maxRowTokens: number;
  /** Highest position plus one; above `maxRowTokens` only where an attention mask has holes. */
  readonly numPositions: number;
}
