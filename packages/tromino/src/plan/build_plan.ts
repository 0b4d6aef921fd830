import type { GraphNode, GraphValue, ModelGraph, ValueId } from '../graph/graph.ts';
import { foldWorkgroups, ops, type DeviceCaps, type OpDefinition, type Problem } from '../kernels/index.ts';
import { elementCount } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';
import { UnsupportedError } from '../util/errors.ts';
import { fingerprint } from '../util/hash.ts';
import { intermediateLifetimes, readWriteSeparations } from './lifetimes.ts';
import type { BufferRef, DispatchStep, Plan, PlanBytes, PlannedWeight, PlanStep } from './plan.ts';
import { planSlices } from './slices.ts';
import { UniformBlocks } from './uniforms.ts';
import { chooseVariant, type VariantChoice } from './variants.ts';
import { bindingLimitBytes, planWeights, rowOperands, sliceProblem } from './weights.ts';
import { layOutWorkspace } from './workspace.ts';

/** What a caller may decide about a plan. */
export interface PlanOptions {
  /** Whether intermediates share storage; `off` is for comparison. */
  readonly reuse?: 'on' | 'off';
  readonly variants?: VariantChoice;
  /** Layers that are submitted at once; `all`, the default, is one submission. */
  readonly layersPerSlice?: number | 'all';
}

/**
 * Decides everything about running a graph on a device with these capabilities. Equal arguments give equal plans.
 * @throws UnsupportedError where a tensor is larger than the adapter's limits and cannot be cut.
 */
export function buildPlan(graph: ModelGraph, caps: DeviceCaps, options: PlanOptions = {}): Plan {
  return new PlanBuilder(graph, caps, options).build();
}

class PlanBuilder {
  readonly #graph: ModelGraph;
  readonly #caps: DeviceCaps;
  readonly #options: PlanOptions;
  readonly #refs = new Map<ValueId, BufferRef>();
  readonly #chunks = new Map<
    ValueId,
    { readonly first: number; readonly chunks: readonly PlannedWeight[] }
  >();
  readonly #uniforms: UniformBlocks;

  constructor(graph: ModelGraph, caps: DeviceCaps, options: PlanOptions) {
    this.#graph = graph;
    this.#caps = caps;
    this.#options = options;
    this.#uniforms = new UniformBlocks(caps.minUniformBufferOffsetAlignment);
  }

  build(): Plan {
    const weights = this.#planWeights();
    const constants = this.#planOrigin('constant', ({ origin, shape }) => ({
      recipe: must(origin.kind === 'constant' ? origin.recipe : undefined, 'recipe'),
      sizeBytes: elementCount(shape) * 4,
    }));
    const inputs = this.#planOrigin('input', ({ name, dtype, shape }) => ({
      name,
      dtype,
      shape,
      sizeBytes: elementCount(shape) * 4,
    }));
    const arenas = this.#planWorkspace();
    const dispatches = this.#graph.nodes.flatMap((node) => this.#dispatches(node));
    const { outputs, copies } = this.#planOutputs();
    const steps: PlanStep[] = [...dispatches, ...copies];
    const slices = planSlices(steps, this.#options.layersPerSlice ?? 'all');
    const uniformWords = this.#uniforms.finish();
    const bytes = addUp({ weights, constants, inputs, arenas, outputs, uniformWords });
    const content = { weights, constants, inputs, arenas, outputs, steps, slices, uniformWords, bytes };
    return freezePlan(withHash(content));
  }

  #planWeights(): PlannedWeight[] {
    const planned: PlannedWeight[] = [];
    for (const [id, chunks] of planWeights(this.#graph, this.#caps)) {
      this.#refs.set(id, { kind: 'weight', index: planned.length });
      this.#chunks.set(id, { first: planned.length, chunks });
      planned.push(...chunks);
    }
    return planned;
  }

  #planOrigin<T>(kind: 'constant' | 'input', describe: (value: GraphValue) => T): T[] {
    const values = this.#graph.values.filter((value) => value.origin.kind === kind);
    values.forEach((value, index) => {
      this.#checkFits(value.name, elementCount(value.shape) * 4);
      this.#refs.set(value.id, { kind, index });
    });
    return values.map(describe);
  }

  #planWorkspace(): { sizeBytes: number }[] {
    const lifetimes = intermediateLifetimes(this.#graph);
    for (const { value, sizeBytes } of lifetimes)
      this.#checkFits(must(this.#graph.values[value], 'value').name, sizeBytes);
    const { placementOf, arenaBytes } = layOutWorkspace(
      lifetimes,
      readWriteSeparations(this.#graph),
      this.#caps,
      this.#options.reuse ?? 'on',
    );
    for (const { value, sizeBytes } of lifetimes) {
      const { arena, offsetBytes } = must(placementOf.get(value), 'placement');
      this.#refs.set(value, { kind: 'arena', index: arena, offsetBytes, sizeBytes });
    }
    return arenaBytes.map((sizeBytes) => ({ sizeBytes }));
  }

  #checkFits(name: string, sizeBytes: number): void {
    const limitBytes = bindingLimitBytes(this.#caps);
    if (sizeBytes <= limitBytes) return;
    throw new UnsupportedError(
      'maxStorageBufferBindingSize',
      `${name} needs ${sizeBytes} bytes in one binding, this adapter allows ${limitBytes}; use fewer or shorter inputs at once`,
    );
  }

  /** One dispatch, or one for each run of rows that the node's matrix is cut into. */
  #dispatches(node: GraphNode): DispatchStep[] {
    const cut = rowOperands(node).flatMap((operand) => {
      const chunked = this.#chunks.get(must(node.operands[operand], operand));
      return chunked && chunked.chunks.length > 1 ? [{ operand, ...chunked }] : [];
    });
    const runs = cut[0]?.chunks;
    if (!runs) return [this.#dispatch(node, node.problem, {})];
    return runs.map((run, index) => {
      const refs = cut.map(({ operand, first }): [string, BufferRef] => {
        return [operand, { kind: 'weight', index: first + index }];
      });
      return this.#dispatch(node, sliceProblem(node, run), Object.fromEntries(refs));
    });
  }

  #dispatch(node: GraphNode, problem: Problem, replaced: Readonly<Record<string, BufferRef>>): DispatchStep {
    const definition: OpDefinition<Problem> = ops[node.op];
    const { contract } = definition;
    const variant = chooseVariant(node.op, problem, this.#caps, this.#options.variants ?? {});
    const refOf = (operand: string): BufferRef | undefined => {
      const value = node.operands[operand];
      return replaced[operand] ?? (value === undefined ? undefined : this.#refs.get(value));
    };
    // An absent operand still needs a binding; the first input is read-only and never read through it.
    const standIn = must(refOf(must(contract.operands[0], 'operand').name), 'first operand');
    return {
      kind: 'dispatch',
      op: node.op,
      label: node.label,
      layer: node.layer,
      problem,
      variant: variant.id,
      overrides: variant.overrides(problem, this.#caps),
      operands: contract.operands.map(
        ({ name, role }) => [refOf(name) ?? standIn, role === 'output' ? 'write' : 'read'] as const,
      ),
      uniformOffsetBytes: this.#uniforms.add(contract, problem),
      workgroups: foldWorkgroups(variant.workgroups(problem, this.#caps), this.#caps),
    };
  }

  #planOutputs(): { outputs: Plan['outputs']; copies: PlanStep[] } {
    let offsetBytes = 0;
    const outputs: Plan['outputs'][number][] = [];
    const copies: PlanStep[] = [];
    for (const [name, id] of Object.entries(this.#graph.outputs)) {
      const { dtype, shape } = must(this.#graph.values[id], name);
      const sizeBytes = elementCount(shape) * 4;
      outputs.push({ name, dtype, shape, offsetBytes, sizeBytes });
      copies.push({
        kind: 'copy',
        label: name,
        from: must(this.#refs.get(id), name),
        to: { kind: 'readback', index: 0 },
        toOffsetBytes: offsetBytes,
        sizeBytes,
      });
      offsetBytes += sizeBytes;
    }
    return { outputs, copies };
  }
}

/** Adds the fingerprint, which is computed when somebody first asks: a run does not need it. */
function withHash(content: Omit<Plan, 'hash'>): Plan {
  let hash: string | undefined;
  return {
    ...content,
    get hash() {
      return (hash ??= fingerprint(JSON.stringify(content)));
    },
  };
}

interface Sized {
  readonly sizeBytes: number;
}

function addUp(parts: {
  readonly weights: readonly Sized[];
  readonly constants: readonly Sized[];
  readonly inputs: readonly Sized[];
  readonly arenas: readonly Sized[];
  readonly outputs: readonly Sized[];
  readonly uniformWords: readonly number[];
}): PlanBytes {
  const sum = (items: readonly Sized[]): number =>
    items.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  const bytes = {
    weights: sum(parts.weights),
    workspace: sum(parts.arenas),
    uniforms: parts.uniformWords.length * 4,
    constants: sum(parts.constants),
    inputs: sum(parts.inputs),
    readback: sum(parts.outputs),
  };
  return { ...bytes, peak: Object.values(bytes).reduce((total, part) => total + part, 0) };
}

function freezePlan(plan: Plan): Plan {
  for (const part of [
    plan.weights,
    plan.constants,
    plan.inputs,
    plan.arenas,
    plan.outputs,
    plan.steps,
    plan.slices,
  ]) {
    for (const item of part) Object.freeze(item);
    Object.freeze(part);
  }
  Object.freeze(plan.uniformWords);
  Object.freeze(plan.bytes);
  return Object.freeze(plan);
}
