import { ops, type OpDefinition, type OpName, type Problem, type ProblemOf } from '../kernels/index.ts';
import type { DType } from '../tensor/dtype.ts';
import { elementCount, formatShape, type Shape } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';
import { ShapeError } from '../util/errors.ts';
import type {
  ConstantRecipe,
  GraphNode,
  GraphValue,
  ModelGraph,
  ValueId,
  ValueOrigin,
  WeightSpec,
} from './graph.ts';

/** An output that a node will have. */
interface NewValue {
  readonly name: string;
  readonly shape: Shape;
}

/**
 * Builds a graph node by node and checks, where a node is added, that every operand has the number of elements its op's contract asks
 * for: a wrong shape is an error at the line that made it, not a wrong score.
 */
export class GraphBuilder {
  readonly #values: GraphValue[] = [];
  readonly #nodes: GraphNode[] = [];
  readonly #inputs: Record<string, ValueId> = {};
  readonly #weights = new Map<string, ValueId>();
  readonly #specs: ReadonlyMap<string, WeightSpec>;
  #layer = -1;

  constructor(weights: readonly WeightSpec[]) {
    this.#specs = new Map(weights.map((spec) => [spec.name, spec]));
  }

  /** Nodes added from here on belong to this layer. */
  beginLayer(layer: number): void {
    this.#layer = layer;
  }

  input(name: string, dtype: DType, shape: Shape): ValueId {
    const id = this.#addValue(name, dtype, shape, { kind: 'input' });
    this.#inputs[name] = id;
    return id;
  }

  /** The value of a weight; the same value each time, so a tied matrix is one value with two readers. */
  weight(name: string): ValueId {
    const known = this.#weights.get(name);
    if (known !== undefined) return known;
    const spec = must(this.#specs.get(name), `weight ${name}`);
    const id = this.#addValue(name, spec.dtype, spec.shape, { kind: 'weight', weight: name });
    this.#weights.set(name, id);
    return id;
  }

  constant(name: string, shape: Shape, recipe: ConstantRecipe): ValueId {
    const dtype = recipe.kind === 'index_table' ? 'u32' : 'f32';
    return this.#addValue(name, dtype, shape, { kind: 'constant', recipe });
  }

  shape(id: ValueId): Shape {
    return must(this.#values[id], `value ${id}`).shape;
  }

  /**
   * Adds a node whose only output is the contract's operand `out`.
   * @param output a new value, or one of which an earlier node wrote other columns.
   * @throws ShapeError when an operand's element count is not what the contract says for this problem.
   */
  node<Name extends OpName>(
    op: Name,
    label: string,
    problem: ProblemOf<Name>,
    inputs: Readonly<Record<string, ValueId>>,
    output: NewValue | ValueId,
  ): ValueId {
    const out =
      typeof output === 'number'
        ? output
        : this.#addValue(output.name, dtypeOf(op, 'out'), output.shape, {
            kind: 'node',
            node: this.#nodes.length,
          });
    const operands = { ...inputs, out };
    this.#checkOperands(op, label, problem, operands);
    this.#nodes.push({ op, label, layer: this.#layer, problem, operands });
    return out;
  }

  finish(outputs: Readonly<Record<string, ValueId>>): ModelGraph {
    return { values: this.#values, nodes: this.#nodes, inputs: this.#inputs, outputs };
  }

  #addValue(name: string, dtype: DType, shape: Shape, origin: ValueOrigin): ValueId {
    const id = this.#values.length;
    this.#values.push({ id, name, dtype, shape, origin });
    return id;
  }

  #checkOperands(
    op: OpName,
    label: string,
    problem: Problem,
    operands: Readonly<Record<string, ValueId>>,
  ): void {
    const definition: OpDefinition<Problem> = ops[op];
    const lengths = definition.contract.operandLengths(problem);
    for (const [name, length] of Object.entries(lengths)) {
      const value = must(
        this.#values[must(operands[name], `operand ${name} of ${label}`)],
        `operand ${name} of ${label}`,
      );
      const dtype = dtypeOf(op, name);
      if (elementCount(value.shape) !== length || value.dtype !== dtype) {
        throw new ShapeError(
          `${label} (${op}.${name})`,
          `${length} elements of ${dtype}`,
          `${value.name} ${formatShape(value.shape)} of ${value.dtype}`,
        );
      }
    }
  }
}

/** Element type of an op's operand. */
function dtypeOf(op: OpName, operand: string): DType {
  const definition: OpDefinition<Problem> = ops[op];
  return must(
    definition.contract.operands.find(({ name }) => name === operand),
    `operand ${operand} of ${op}`,
  ).dtype;
}
