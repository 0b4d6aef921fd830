import { describe, expect, it } from 'vitest';
import { GraphBuilder } from '../graph/builder.ts';
import type { ModelGraph, WeightSpec } from '../graph/graph.ts';
import {
  defaultCaps,
  ops,
  ternaryParts,
  type OpDefinition,
  type OpName,
  type OperandArrays,
  type Problem,
} from '../kernels/index.ts';
import { Random } from '../kernels/testing/random.ts';
import { must } from '../util/assert.ts';
import { buildPlan } from './build_plan.ts';
import type { Plan, PlannedWeight } from './plan.ts';

type Values = Float32Array | Uint32Array;

const product = { m: 1, n: 200, k: 72, columnOffset: 0, numColumns: 200, hasBias: true, hasResidual: true };
const parts = ternaryParts([80, 40, 80]);
const lookup = { numTokens: 9, hidden: 20, firstRow: 0, numRows: 60 };
const packedLookup = { numTokens: 5, firstRow: 0, numRows: 500, blockSize: 32 };

/** For each op whose matrix can be cut: problems, and how many runs a limit makes of it. */
const cases: readonly (readonly [OpName, Problem, limitBytes: number, numRuns: number])[] = [
  ['matmul', { ...product, weightDtype: 'f32' }, 60 * 288, 4],
  // Nine words of codes a row; eight rows are nine blocks of 64.
  ['matmul_nf4', { ...product, blockSize: 64 }, 63 * 36, 4],
  // Five words a row; four rows are five blocks of 32.
  ['matmul_nf4', { ...product, k: 40, blockSize: 32 }, 51 * 20, 5],
  // Whole blocks: scales lie side by side too.
  ['matmul_nf4', { ...product, k: 128, blockSize: 32 }, 70 * 64, 3],
  ['matmul_nf4', { ...product, n: 170, columnOffset: 11, k: 128, blockSize: 128 }, 60 * 64, 3],
  ['matmul_ternary', { ...product, ...parts, scaling: 'multiply', scalesBias: true }, 45 * 20, 5],
  ['matmul_ternary', { ...product, ...parts, k: 64, scaling: 'divide', scalesBias: false }, 90 * 16, 3],
  ['embedding', { ...lookup, scale: 2, weightDtype: 'f32' }, 17 * 80, 4],
  ['embedding_nf4', { ...packedLookup, scale: 3, hidden: 40 }, 167 * 20, 4],
  ['embedding_nf4', { ...packedLookup, scale: 1, hidden: 64 }, 200 * 32, 3],
  ['embedding_sum', { ...lookup, numTypes: 2, tablePositions: 12 }, 17 * 80, 4],
];

/** Random operands of an op, by name. */
function operandsOf(op: OpName, problem: Problem): Record<string, Values> {
  const { contract }: OpDefinition<Problem> = ops[op];
  const random = new Random(7);
  const lengths = contract.operandLengths(problem);
  const values = contract.operands.flatMap(({ name, dtype }): [string, Values][] => {
    const length = lengths[name];
    if (length === undefined || name === 'out') return [];
    if (dtype === 'f32') return [[name, random.floats(length)]];
    const indices: Readonly<Record<string, number>> = {
      ids: Number(problem['numRows']),
      types: 2,
      positions: 12,
    };
    return [[name, random.indices(length, indices[name] ?? 2 ** 32)]];
  });
  if (op !== 'matmul_ternary') return Object.fromEntries(values);
  const [rows, k] = [Number(problem['m']), Number(problem['k'])];
  const a = new Uint32Array(must(lengths['a'], 'a'));
  ops.quantize_activations.reference({ rows, k }, { x: random.floats(rows * k), out: a });
  return { ...Object.fromEntries(values), a };
}

/** A graph of one node, all of whose inputs are weights. */
function graphOf(op: OpName, problem: Problem, operands: Readonly<Record<string, Values>>): ModelGraph {
  const { contract }: OpDefinition<Problem> = ops[op];
  const specs = Object.entries(operands).map(([name, values]): WeightSpec => {
    const assembly = { tensors: [], assemble: () => ({}) };
    return { name, shape: [values.length], dtype: values instanceof Float32Array ? 'f32' : 'u32', assembly };
  });
  const graph = new GraphBuilder(specs);
  const inputs = Object.fromEntries(specs.map(({ name }) => [name, graph.weight(name)]));
  const shape = [must(contract.operandLengths(problem)['out'], 'out')];
  return graph.finish({ out: graph.node(op, op, problem as never, inputs, { name: 'out', shape }) });
}

/** What a run of a weight's rows holds. */
function elementsOf({ sizeBytes, firstElement, lines }: PlannedWeight, whole: Values): Values {
  const { count, length } = lines ?? { count: 1, length: 0 };
  const run = sizeBytes / 4 / count;
  const parts = Array.from({ length: count }, (_, line) => {
    return [...whole.subarray(line * length + firstElement, line * length + firstElement + run)];
  });
  return whole instanceof Float32Array ? Float32Array.from(parts.flat()) : Uint32Array.from(parts.flat());
}

function run({ steps, weights }: Plan, operands: Readonly<Record<string, Values>>, out: Float32Array): void {
  for (const step of steps) {
    if (step.kind !== 'dispatch') continue;
    const definition: OpDefinition<Problem> = ops[step.op];
    const arrays: Record<string, OperandArrays[string]> = {};
    definition.contract.operands.forEach(({ name }, index) => {
      const [ref] = must(step.operands[index], name);
      const planned = ref.kind === 'weight' ? must(weights[ref.index], name) : undefined;
      arrays[name] = planned ? elementsOf(planned, must(operands[planned.weight], planned.weight)) : out;
    });
    definition.reference(step.problem, arrays);
  }
}

describe('a matrix that no binding holds', () => {
  it.each(cases)('of %s %j gives the same within %i bytes a binding', (op, problem, limitBytes, numRuns) => {
    const operands = operandsOf(op, problem);
    const graph = graphOf(op, problem, operands);
    const outputs = [defaultCaps, { ...defaultCaps, maxStorageBufferBindingSize: limitBytes }].map((caps) => {
      const plan = buildPlan(graph, caps);
      const out = new Float32Array(plan.bytes.readback / 4).fill(9);
      run(plan, operands, out);
      return { plan, out };
    });
    const [whole, cut] = outputs;
    expect(whole?.plan.steps.filter(({ kind }) => kind === 'dispatch')).toHaveLength(1);
    expect(cut?.plan.steps.filter(({ kind }) => kind === 'dispatch')).toHaveLength(numRuns);
    expect(cut?.plan.weights.every(({ sizeBytes }) => sizeBytes <= limitBytes)).toBe(true);
    expect(cut?.plan.bytes.weights).toBe(whole?.plan.bytes.weights);
    expect(cut?.out).toEqual(whole?.out);
  });

  it('is refused where one run of whole blocks is too large', () => {
    const problem = { ...product, k: 40, blockSize: 4096 };
    const graph = graphOf('matmul_nf4', problem, operandsOf('matmul_nf4', problem));
    const caps = { ...defaultCaps, maxStorageBufferBindingSize: 127 * 20 };
    expect(() => buildPlan(graph, caps)).toThrow(
      'codes needs 4000 bytes in one binding, this adapter allows 2540',
    );
  });
});
