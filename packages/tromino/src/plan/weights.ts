import type { GraphNode, GraphValue, ModelGraph, ValueId } from '../graph/graph.ts';
import {
  ops,
  type DeviceCaps,
  type OpDefinition,
  type Problem,
  type RowCut,
  type RowLayout,
} from '../kernels/index.ts';
import { elementCount } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';
import { UnsupportedError } from '../util/errors.ts';
import type { PlannedWeight } from './plan.ts';

/** A run of rows. */
export interface Rows {
  readonly firstRow: number;
  readonly numRows: number;
}

/** How one operand of a node that is cut becomes several buffers. */
interface CutOperand {
  readonly layout: RowLayout;
  readonly runs: readonly Rows[];
  /** Elements that it has for a matrix of so many rows. */
  readonly elementsOf: (numRows: number) => number;
}

/** The largest buffer that can be bound whole. */
export function bindingLimitBytes(caps: DeviceCaps): number {
  return Math.min(caps.maxStorageBufferBindingSize, caps.maxBufferSize);
}

/**
 * The weights of a graph as they lie on the device: whole, which is the rule, or in the runs of rows that {@link cutRows} finds.
 * @throws UnsupportedError naming the tensor, its size and the limit, where it may not be cut or one row is too large already.
 */
export function planWeights(
  graph: ModelGraph,
  caps: DeviceCaps,
): ReadonlyMap<ValueId, readonly PlannedWeight[]> {
  const cuts = new Map<ValueId, (CutOperand | undefined)[]>();
  for (const node of graph.nodes) {
    const cutOperands = cutNode(node, caps);
    for (const [operand, id] of Object.entries(node.operands)) {
      const known = cuts.get(id);
      if (known) known.push(cutOperands[operand]);
      else cuts.set(id, [cutOperands[operand]]);
    }
  }
  const weights = graph.values.filter(({ origin }) => origin.kind === 'weight');
  return new Map(weights.map((value) => [value.id, planWeight(value, cuts.get(value.id) ?? [], caps)]));
}

/** A node for one run of its matrix's rows. */
export function sliceProblem({ op, problem }: GraphNode, { firstRow, numRows }: Rows): Problem {
  return must(rowCutOf(op), op).slice(problem, firstRow, numRows);
}

/** The operands of a node whose rows are cut. */
export function rowOperands({ op, problem }: GraphNode): readonly string[] {
  return Object.keys(rowCutOf(op)?.layouts(problem) ?? {});
}

function rowCutOf(op: GraphNode['op']): RowCut<Problem> | undefined {
  const definition: OpDefinition<Problem> = ops[op];
  return definition.contract.rowCut;
}

/** How a node's operands are cut: not at all where each fits into a binding, else all that have rows at the same ones. */
function cutNode({ op, problem }: GraphNode, caps: DeviceCaps): Readonly<Record<string, CutOperand>> {
  const definition: OpDefinition<Problem> = ops[op];
  const { contract } = definition;
  const { rowCut } = contract;
  if (!rowCut) return {};
  const layouts = Object.entries(rowCut.layouts(problem));
  const lengths = contract.operandLengths(problem);
  const largestBytes = Math.max(...layouts.map(([operand]) => must(lengths[operand], operand) * 4));
  const runs = cutRows(rowCut.numRows(problem), rowCut.granule(problem), largestBytes, caps);
  if (runs.length === 1) return {};
  return Object.fromEntries(
    layouts.map(([operand, layout]): [string, CutOperand] => {
      const elementsOf = (numRows: number): number =>
        must(contract.operandLengths(rowCut.slice(problem, 0, numRows))[operand], operand);
      return [operand, { layout, runs, elementsOf }];
    }),
  );
}

/** Cuts rows of `sizeBytes` in all into runs that a binding can hold; into one, too large as it is, where not even the shortest run does. */
function cutRows(numRows: number, granule: number, sizeBytes: number, caps: DeviceCaps): readonly Rows[] {
  const limitBytes = bindingLimitBytes(caps);
  const fittingRows = sizeBytes <= limitBytes ? numRows : Math.floor(limitBytes / (sizeBytes / numRows));
  const rowsPerRun = Math.floor(fittingRows / granule) * granule;
  if (fittingRows >= numRows || rowsPerRun === 0) return [{ firstRow: 0, numRows }];
  return Array.from({ length: Math.ceil(numRows / rowsPerRun) }, (_, run) => {
    const firstRow = run * rowsPerRun;
    return { firstRow, numRows: Math.min(rowsPerRun, numRows - firstRow) };
  });
}

/** @param cuts how each operand that the weight is would be cut. */
function planWeight(
  { name: weight, shape }: GraphValue,
  cuts: readonly (CutOperand | undefined)[],
  caps: DeviceCaps,
): readonly PlannedWeight[] {
  const count = elementCount(shape);
  const [cut] = cuts;
  const limitBytes = bindingLimitBytes(caps);
  if (!cuts.every((other) => cutsAlike(cut, other)) || (!cut && count * 4 > limitBytes)) {
    throw new UnsupportedError(
      'maxStorageBufferBindingSize',
      `${weight} needs ${count * 4} bytes in one binding, this adapter allows ${limitBytes}`,
    );
  }
  if (!cut) return [{ weight, firstRow: 0, numRows: shape[0] ?? 1, sizeBytes: count * 4, firstElement: 0 }];
  const { layout, runs, elementsOf } = cut;
  const totalRows = runs.reduce((sum, { numRows }) => sum + numRows, 0);
  return runs.map(({ firstRow, numRows }): PlannedWeight => {
    const planned = { weight, firstRow, numRows, sizeBytes: elementsOf(numRows) * 4 };
    if (layout === 'rows') return { ...planned, firstElement: elementsOf(firstRow) };
    return { ...planned, firstElement: firstRow, lines: { count: count / totalRows, length: totalRows } };
  });
}

function cutsAlike(a: CutOperand | undefined, b: CutOperand | undefined): boolean {
  if (!a || !b) return a === b;
  const sameRuns = a.runs.length === b.runs.length && a.runs[0]?.numRows === b.runs[0]?.numRows;
  return a.layout === b.layout && sameRuns;
}
