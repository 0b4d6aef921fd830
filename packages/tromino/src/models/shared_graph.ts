import type { GraphBuilder } from '../graph/builder.ts';
import { defaultSpanSearch, type SpanSearch, type ValueId } from '../graph/graph.ts';
import { boundaryFields, contextFields, spanRowLength } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import { inverseFrequencies, type RopeConfig, type RopePrecision } from './rope.ts';

/** What all rotations of a model have in common. */
export interface RotationSizes {
  /** Elements of each head that are rotated. */
  readonly rotaryDim: number;
  readonly precision: RopePrecision;
  readonly numPositions: number;
}

/** The tables of a graph's rotations; layers with the same rotation share one. */
export class RotationTables {
  readonly #graph: GraphBuilder;
  readonly #sizes: RotationSizes;
  readonly #tables = new Map<string, ValueId>();

  constructor(graph: GraphBuilder, sizes: RotationSizes) {
    this.#graph = graph;
    this.#sizes = sizes;
  }

  /** **Shapes** → [numPositions, rotaryDim / 2, 2] */
  of(rope: RopeConfig): ValueId {
    const key = JSON.stringify(rope);
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const { rotaryDim, precision, numPositions } = this.#sizes;
    const frequencies = inverseFrequencies(rope, rotaryDim, precision);
    const name = this.#tables.size === 0 ? 'rope_table' : `rope_table_${this.#tables.size}`;
    const table = this.#graph.constant(
      name,
      [numPositions, frequencies.length, 2],
      { kind: 'rope_table', inverseFrequencies: frequencies, numPositions },
    );
    this.#tables.set(key, table);
    return table;
  }
}

/** A norm of rows by the root of their mean square. */
export interface RmsNorm {
  /** The module that it is in the checkpoint. */
  readonly label: string;
  readonly weight: string;
  readonly epsilon: number;
}

/**
 * Adds a norm.
 *
 * **Shapes** x[rows, hidden] → [rows, hidden]
 */
export function addRmsNorm(graph: GraphBuilder, x: ValueId, { label, weight, epsilon }: RmsNorm): ValueId {
  const [rows, hidden] = graph.shape(x) as [number, number];
  const operands = { x, weight: graph.weight(weight) };
  return graph.node('rms_norm', label, { rows, hidden, epsilon }, operands, {
    name: `${label}.normed`,
    shape: [rows, hidden],
  });
}

/**
 * Adds a node that takes some rows of a value.
 *
 * **Shapes** x[sourceRows, width], rows[numRows] → [numRows, width]
 */
export function addGatherRows(graph: GraphBuilder, label: string, x: ValueId, rows: ValueId): ValueId {
  const [sourceRows, width] = graph.shape(x) as [number, number];
  const numRows = must(graph.shape(rows)[0], 'rows');
  const problem = { numRows, width, sourceRows };
  return graph.node('gather_rows', label, problem, { x, rows }, { name: label, shape: [numRows, width] });
}

/**
 * Adds a search for the best spans, so that only they are read back and not the scores of all tokens.
 * @param numBoundaries tokens of the batch, to whose boundaries spans are widened.
 *
 * **Shapes** logits[tokens of all rows, 2] → [numRows, numbers of a search's row]
 */
export function addSpanSearch(
  graph: GraphBuilder,
  logits: ValueId,
  numRows: number,
  numBoundaries: number,
  spanSearch: SpanSearch = defaultSpanSearch,
): ValueId {
  const numTokens = must(graph.shape(logits)[0], 'tokens');
  const contexts = graph.input('contexts', 'u32', [numRows, contextFields.count]);
  const boundaries = graph.input('boundaries', 'u32', [numBoundaries, boundaryFields.count]);
  const problem = { numTokens, numRows, numBoundaries, ...spanSearch };
  const shape = [numRows, spanRowLength(spanSearch.topK)];
  return graph.node('span_search', 'spans', problem, { logits, contexts, boundaries }, { name: 'spans', shape });
}
