import type { WeightPart, WeightSpec } from '../graph/graph.ts';
import type { Shape } from '../tensor/shape.ts';
import type { Linear } from './linear.ts';

/** One stored matrix of a projection: `rows` outputs. */
export interface LinearPart {
  /** Name of the module in the checkpoint, to which `.weight` and `.bias` are added. */
  readonly module: string;
  readonly rows: number;
}

/** Collects the weights of a model while its family names them, with the checkpoint's tensors that make them up. */
export class WeightList {
  readonly #specs: WeightSpec[] = [];

  /** In the order of their declaration. */
  get specs(): readonly WeightSpec[] {
    return this.#specs;
  }

  /** A weight that is one of the checkpoint's tensors. Returns its name. */
  tensor(name: string, shape: Shape): string {
    return this.#add({ name, shape, dtype: 'f32', parts: [{ tensor: name, shape }] });
  }

  /** A projection whose matrix is one of the checkpoint's. */
  linear(module: string, inputs: number, outputs: number, hasBias: boolean): Linear {
    return this.stackedLinear(module, inputs, [{ module, rows: outputs }], hasBias);
  }

  /** A projection whose matrix stacks several of the checkpoint's. `name` stands for the stack. */
  stackedLinear(name: string, inputs: number, parts: readonly LinearPart[], hasBias: boolean): Linear {
    const outputs = parts.reduce((sum, { rows }) => sum + rows, 0);
    const weight = this.#add({
      name: `${name}.weight`,
      shape: [outputs, inputs],
      dtype: 'f32',
      parts: parts.map(({ module, rows }): WeightPart => ({ tensor: `${module}.weight`, shape: [rows, inputs] })),
    });
    const bias = hasBias
      ? this.#add({
          name: `${name}.bias`,
          shape: [outputs],
          dtype: 'f32',
          parts: parts.map(({ module, rows }): WeightPart => ({ tensor: `${module}.bias`, shape: [rows] })),
        })
      : undefined;
    return {
      inputs,
      outputs,
      pieces: [{ format: 'dense', weight, firstColumn: 0, numColumns: outputs }],
      bias,
    };
  }

  #add(spec: WeightSpec): string {
    this.#specs.push(spec);
    return spec.name;
  }
}

/** A projection by a matrix that is declared elsewhere already, as the embedding is that scores tokens in a tied head. */
export function tiedLinear(weight: string, inputs: number, outputs: number): Linear {
  return {
    inputs,
    outputs,
    pieces: [{ format: 'dense', weight, firstColumn: 0, numColumns: outputs }],
    bias: undefined,
  };
}
