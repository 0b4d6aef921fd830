import type { BatchRules, Unit } from '../graph/batch.ts';
import type { BatchShape, ModelGraph, WeightSpec } from '../graph/graph.ts';

/**
 * What a checkpoint's last matrix is for: scores of classes for a row (`classifier`) or for each token (`tagger`), of tokens to come
 * (`generator`), of where an answer starts and ends (`extractor`); or there is none, and hidden states are all there is (`embedder`).
 */
export type HeadName = 'classifier' | 'generator' | 'tagger' | 'extractor' | 'embedder';

/** Something that a model can compute of a batch: a vector for each row, each token, or whatever else it is per. */
export interface ModelOutput {
  /** Name of the graph's output. */
  readonly name: string;
  readonly per: Unit;
  /** Numbers of a vector; undefined where the batch's shape decides it. */
  readonly width: number | undefined;
}

/** The tokens of a row that holds questions: first, then each question behind a marker, a separator, the text, a separator. */
export interface QuestionTokens {
  readonly first: number;
  readonly marker: number;
  readonly separator: number;
}

/** How raw class scores become probabilities; transformers' `problem_type`. */
export type ScoreFunction = 'softmax' | 'sigmoid' | 'none';

/** Everything a task needs to know of a model: plain data and one pure function. No kernel is named here. */
export interface ModelDefinition {
  /** transformers' `model_type`. */
  readonly family: string;
  readonly head: HeadName;
  /** What rows of tokens must be like, and how their positions count. */
  readonly batchRules: BatchRules;
  /** Longest row that the positions allow. */
  readonly maxTokens: number;
  /** How questions and a text become a row, where one row holds several questions. */
  readonly questionTokens?: QuestionTokens;
  /** Class names in order; empty where the head has no classes. */
  readonly labels: readonly string[];
  readonly scoreFunction: ScoreFunction;
  /** Tokens at which a generation ends. */
  readonly stopTokens: readonly number[];
  readonly numLayers: number;
  readonly weights: readonly WeightSpec[];
  /** What the model can compute, the usual first. All of them need the same weights. */
  readonly outputs: readonly [ModelOutput, ...ModelOutput[]];
  /** The graph of the output that the batch's shape names. */
  graph(batch: BatchShape): ModelGraph;
}
