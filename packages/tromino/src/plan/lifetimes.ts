import type { ModelGraph, ValueId } from '../graph/graph.ts';
import { ops, type OpDefinition, type Problem } from '../kernels/index.ts';
import { elementCount } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';

/** From the node that writes a value to the last one that reads it, both included. */
export interface Lifetime {
  readonly value: ValueId;
  readonly sizeBytes: number;
  readonly firstNode: number;
  readonly lastNode: number;
}

/** Pairs of values that one operation reads and writes, by value: they may not lie in one buffer, wherever in it. */
export type Separations = ReadonlyMap<ValueId, ReadonlySet<ValueId>>;

/** Lifetimes of everything that nodes write, in order of writing. A graph output lives to the end, where it is copied out. */
export function intermediateLifetimes(graph: ModelGraph): Lifetime[] {
  const lastNode = new Map<ValueId, number>();
  graph.nodes.forEach((node, index) => {
    for (const value of Object.values(node.operands)) lastNode.set(value, index);
  });
  for (const value of Object.values(graph.outputs)) lastNode.set(value, graph.nodes.length);
  return graph.values.flatMap((value) =>
    value.origin.kind === 'node'
      ? [
          {
            value: value.id,
            sizeBytes: elementCount(value.shape) * 4,
            firstNode: value.origin.node,
            lastNode: must(lastNode.get(value.id), `last use of ${value.name}`),
          },
        ]
      : [],
  );
}

/** Which values each node's output must be kept apart from: what the node reads, since one buffer is not bound for reading and writing. */
export function readWriteSeparations(graph: ModelGraph): Separations {
  const separations = new Map<ValueId, Set<ValueId>>();
  const separate = (a: ValueId, b: ValueId): void => {
    const known = separations.get(a);
    if (known) known.add(b);
    else separations.set(a, new Set([b]));
  };
  for (const { op, operands } of graph.nodes) {
    const definition: OpDefinition<Problem> = ops[op];
    const written = definition.contract.operands.flatMap(({ name, role }) =>
      role === 'output' ? [must(operands[name], name)] : [],
    );
    for (const output of written) {
      for (const value of Object.values(operands)) {
        if (value === output) continue;
        separate(output, value);
        separate(value, output);
      }
    }
  }
  return separations;
}

/** The least that any plan could need: the largest sum of sizes alive at one node. */
export function liveFloorBytes(lifetimes: readonly Lifetime[]): number {
  let floor = 0;
  for (const { firstNode } of lifetimes) {
    const live = lifetimes.filter((other) => other.firstNode <= firstNode && firstNode <= other.lastNode);
    floor = Math.max(
      floor,
      live.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    );
  }
  return floor;
}
