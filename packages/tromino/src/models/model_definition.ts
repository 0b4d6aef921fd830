import type { BatchShape, ModelGraph, WeightSpec } from '../graph/graph.ts';

/** What a checkpoint's last matrix is for. */
export type HeadName = 'classifier' | 'generator';

/** How raw class scores become probabilities; transformers' `problem_type`. */
export type ScoreFunction = 'softmax' | 'sigmoid' | 'none';

/** Everything a task needs to know of a model: plain data and one pure function. No kernel is named here. */
export interface ModelDefinition {
  /** transformers' `model_type`. */
  readonly family: string;
  readonly head: HeadName;
  readonly vocabularySize: number;
  /** Longest row that the positions allow. */
  readonly maxTokens: number;
  /** Class names in order; empty for a generator. */
  readonly labels: readonly string[];
  readonly scoreFunction: ScoreFunction;
  /** Tokens at which a generation ends. */
  readonly stopTokens: readonly number[];
  readonly numLayers: number;
  readonly weights: readonly WeightSpec[];
  /** Name of the graph's output: [numRows, scoresPerRow]. */
  readonly output: string;
  readonly scoresPerRow: number;
  graph(batch: BatchShape): ModelGraph;
}
