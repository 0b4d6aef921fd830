import type { GraphBuilder } from '../graph/builder.ts';
import type { ValueId } from '../graph/graph.ts';
import { quantizedRowWords, ternaryParts } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import { addRmsNorm, type RmsNorm } from './shared_graph.ts';

/** A run of a projection's output columns whose matrix is stored in one format, and so is computed by one node. */
export type LinearPiece = DensePiece | Nf4Piece | TernaryPiece;

/** Which of a projection's output columns a piece is. */
interface Columns {
  readonly firstColumn: number;
  readonly numColumns: number;
}

/** Columns whose matrix is plain floats. */
export interface DensePiece extends Columns {
  readonly format: 'dense';
  readonly weight: string;
}

/** The weights that a stack of matrices in NF4 becomes. */
export interface Nf4Weights {
  readonly codes: string;
  readonly scales: string;
  /** The values of the 16 codes. */
  readonly map: string;
  /** Weights that share a scale. */
  readonly blockSize: number;
}

/** Columns whose matrix is in NF4 and stays so. */
export interface Nf4Piece extends Columns, Nf4Weights {
  readonly format: 'nf4';
}

/** Columns whose matrices are ternary and are multiplied by rows of int8. */
export interface TernaryPiece extends Columns {
  readonly format: 'ternary';
  readonly codes: string;
  /** Weight with a scale for each of `partColumns`. */
  readonly scales: string;
  /** Columns of each stacked matrix. */
  readonly partColumns: readonly number[];
  readonly scaling: 'multiply' | 'divide';
  readonly scalesBias: boolean;
  /** Norm of the rows before they are rounded. */
  readonly norm: RmsNorm | undefined;
}

/**
 * A projection `x · Wᵀ (+ bias)` as a family describes it. Its matrix may be stacked from several of the checkpoint's (query, key and value),
 * so that one dispatch computes all; matrices of one stack that are stored in different formats become several pieces.
 */
export interface Linear {
  readonly inputs: number;
  readonly outputs: number;
  /** In column order, without gaps. */
  readonly pieces: readonly LinearPiece[];
  readonly bias: string | undefined;
}

/**
 * Adds a projection to a graph.
 *
 * **Shapes** a[m, inputs], residual[m, outputs] → [m, outputs]
 * @param norm what the rows of `a` go through first, in the dispatch that rounds them where there is one.
 */
export function addLinear(
  graph: GraphBuilder,
  label: string,
  linear: Linear,
  a: ValueId,
  residual?: ValueId,
  norm?: RmsNorm,
): ValueId {
  let out: ValueId | undefined;
  // Pieces without norms of their own share what they read.
  let [rows, quantized]: (ValueId | undefined)[] = [];
  const readRows = (): ValueId => (rows ??= norm ? addRmsNorm(graph, a, norm) : a);
  for (const piece of linear.pieces) {
    let input: ValueId;
    if (piece.format !== 'ternary') input = readRows();
    else if (piece.norm) input = addQuantized(graph, label, readRows(), piece.norm);
    else input = quantized ??= addQuantized(graph, label, a, norm);
    out = addPiece(graph, label, linear, piece, input, residual, out);
  }
  return must(out, `pieces of ${label}`);
}

/**
 * Rounds the rows that a ternary piece reads to int8, normed where a norm is given.
 *
 * **Shapes** x[m, k] → [m, words of a quantised row]
 */
function addQuantized(graph: GraphBuilder, label: string, x: ValueId, norm: RmsNorm | undefined): ValueId {
  const [rows, k] = graph.shape(x) as [number, number];
  const output = { name: `${norm?.label ?? label}.quantized`, shape: [rows, quantizedRowWords(k)] };
  const step = `${label}.act_quant`;
  if (!norm) return graph.node('quantize_activations', step, { rows, k }, { x }, output);
  const { weight, epsilon } = norm;
  return graph.node('rms_norm_quantize', step, { rows, k, epsilon }, { x, weight: graph.weight(weight) }, output);
}

/** @param out where an earlier piece has written its columns already; undefined for the first. */
function addPiece(
  graph: GraphBuilder,
  label: string,
  { outputs, inputs, bias }: Linear,
  piece: LinearPiece,
  a: ValueId,
  residual: ValueId | undefined,
  out: ValueId | undefined,
): ValueId {
  const m = must(graph.shape(a)[0], 'rows');
  const operands: Record<string, ValueId> = { a };
  if (bias !== undefined) operands['bias'] = graph.weight(bias);
  if (residual !== undefined) operands['residual'] = residual;
  const problem = {
    m,
    n: piece.numColumns,
    k: inputs,
    columnOffset: piece.firstColumn,
    numColumns: outputs,
    hasBias: bias !== undefined,
    hasResidual: residual !== undefined,
  } as const;
  const output = out ?? { name: `${label}.out`, shape: [m, outputs] };
  switch (piece.format) {
    case 'dense':
      operands['weight'] = graph.weight(piece.weight);
      return graph.node('matmul', label, { ...problem, weightDtype: 'f32' }, operands, output);
    case 'nf4':
      operands['codes'] = graph.weight(piece.codes);
      operands['scales'] = graph.weight(piece.scales);
      operands['quant_map'] = graph.weight(piece.map);
      return graph.node('matmul_nf4', label, { ...problem, blockSize: piece.blockSize }, operands, output);
    case 'ternary': {
      const { partColumns, scaling, scalesBias } = piece;
      operands['weight'] = graph.weight(piece.codes);
      operands['scales'] = graph.weight(piece.scales);
      const flags = { scaling, scalesBias: scalesBias && bias !== undefined };
      return graph.node('matmul_ternary', label, { ...problem, ...ternaryParts(partColumns), ...flags }, operands, output);
    }
  }
}
