import type { GraphBuilder } from '../graph/builder.ts';
import type { ValueId } from '../graph/graph.ts';
import { must } from '../util/assert.ts';
import type { Linear, LinearPiece, Nf4Weights } from './linear.ts';

/** A table with a row for each token of the vocabulary, in the format in which the checkpoint stores it. */
export type EmbeddingTable = DenseTable | Nf4Table;

interface TableSize {
  readonly rows: number;
  readonly columns: number;
}

/** A table of plain floats. */
export interface DenseTable extends TableSize {
  readonly format: 'dense';
  readonly weight: string;
}

/** A table in NF4 that stays so. */
export interface Nf4Table extends TableSize, Nf4Weights {
  readonly format: 'nf4';
}

/**
 * Adds a lookup.
 *
 * **Shapes** ids u32[numTokens] → [numTokens, columns]
 * @param scale factor on every element.
 */
export function addEmbedding(
  graph: GraphBuilder,
  label: string,
  table: EmbeddingTable,
  ids: ValueId,
  scale = 1,
): ValueId {
  const numTokens = must(graph.shape(ids)[0], 'tokens');
  const problem = { numTokens, hidden: table.columns, firstRow: 0, numRows: table.rows, scale };
  const output = { name: 'embedding', shape: [numTokens, table.columns] };
  if (table.format === 'dense') {
    const operands = { table: graph.weight(table.weight), ids };
    return graph.node('embedding', label, { ...problem, weightDtype: 'f32' }, operands, output);
  }
  const operands = {
    codes: graph.weight(table.codes),
    scales: graph.weight(table.scales),
    quant_map: graph.weight(table.map),
    ids,
  };
  return graph.node('embedding_nf4', label, { ...problem, blockSize: table.blockSize }, operands, output);
}

/** A projection by a table that is declared already, as the embedding is that scores tokens in a tied head. */
export function tiedLinear(table: EmbeddingTable): Linear {
  const { rows, columns, ...stored } = table;
  const piece: LinearPiece = { ...stored, firstColumn: 0, numColumns: rows };
  return { inputs: columns, outputs: rows, pieces: [piece], bias: undefined };
}
