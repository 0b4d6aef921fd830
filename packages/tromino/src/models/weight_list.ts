import type { Nf4Matrix } from '../formats/weight_index.ts';
import type { WeightAssembly, WeightPart, WeightSpec } from '../graph/graph.ts';
import { mostTernaryParts } from '../kernels/index.ts';
import { floatDTypes } from '../tensor/decode.ts';
import { formatShape, type Shape } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';
import { ShapeError } from '../util/errors.ts';
import type { EmbeddingTable } from './embedding.ts';
import type { DensePiece, Linear, LinearPiece, Nf4Piece, Nf4Weights, TernaryPiece } from './linear.ts';
import type { LinearFormats } from './linear_formats.ts';
import { continuesNf4Stack, nf4Assembly, nf4Shapes } from './nf4_linear.ts';
import type { RmsNorm } from './shared_graph.ts';
import { storedFloats } from './stored_floats.ts';
import { ternaryAssembly, ternaryShapes } from './ternary_linear.ts';

/** One stored matrix of a projection: `rows` outputs. */
export interface LinearPart {
  /** Name of the module in the checkpoint, to which `.weight` and `.bias` are added. */
  readonly module: string;
  readonly rows: number;
}

/** Neighbouring parts that one node can compute. */
interface Run {
  readonly format: LinearPiece['format'];
  readonly parts: LinearPart[];
  readonly firstColumn: number;
  /** One for each part that is in NF4. */
  readonly nf4: Nf4Matrix[];
}

/** Collects the weights of a model while its family names them, with the checkpoint's tensors that make them up. */
export class WeightList {
  readonly #specs: WeightSpec[] = [];
  readonly #formats: LinearFormats;
  /** Weights with the values of NF4 codes, by the values: they are the same everywhere, as a rule. */
  readonly #maps = new Map<string, string>();

  constructor(formats: LinearFormats) {
    this.#formats = formats;
  }

  /** In the order of their declaration. */
  get specs(): readonly WeightSpec[] {
    return this.#specs;
  }

  /** A weight that is one of the checkpoint's tensors. Returns its name. */
  tensor(name: string, shape: Shape): string {
    return this.#add({ name, shape, dtype: 'f32', parts: [{ tensor: name, shape }] });
  }

  /** A weight that is 1 more than one of the checkpoint's tensors, rounded to f32. Returns its name. */
  tensorPlusOne(name: string, shape: Shape): string {
    return this.#add({ name, shape, dtype: 'f32', assembly: additionOfOne(name, shape) });
  }

  /**
   * A table of which rows are looked up, in the format in which it is stored.
   * @throws ShapeError for a packed table whose shape is not what the config promises.
   */
  table(module: string, rows: number, columns: number): EmbeddingTable {
    const matrix = this.#nf4Matrix({ module, rows }, columns);
    if (matrix) return { format: 'nf4', ...this.#nf4Weights(module, [matrix]), rows, columns };
    return { format: 'dense', weight: this.tensor(`${module}.weight`, [rows, columns]), rows, columns };
  }

  /** A projection whose matrix is one of the checkpoint's. */
  linear(module: string, inputs: number, outputs: number, hasBias: boolean): Linear {
    return this.stackedLinear(module, inputs, [{ module, rows: outputs }], hasBias);
  }

  /** A projection whose matrix is stored with a row for each input, as GPT-2's are: it is turned over while it is loaded. */
  transposedLinear(module: string, inputs: number, outputs: number, hasBias: boolean): Linear {
    const weight = `${module}.weight`;
    const assembly = transposition(weight, inputs, outputs);
    this.#add({ name: weight, shape: [outputs, inputs], dtype: 'f32', assembly });
    return {
      inputs,
      outputs,
      pieces: [{ format: 'dense', weight, firstColumn: 0, numColumns: outputs }],
      bias: hasBias ? this.tensor(`${module}.bias`, [outputs]) : undefined,
    };
  }

  /**
   * A projection whose matrix stacks several of the checkpoint's. `name` stands for the stack.
   * @throws ShapeError for a packed matrix whose shape is not what the config promises.
   */
  stackedLinear(name: string, inputs: number, parts: readonly LinearPart[], hasBias: boolean): Linear {
    const runs = this.#runs(parts, inputs);
    const pieces = runs.map((run): LinearPiece => {
      const stack = runs.length === 1 ? name : must(run.parts[0], 'part').module;
      switch (run.format) {
        case 'dense':
          return this.#densePiece(stack, inputs, run);
        case 'nf4':
          return this.#nf4Piece(stack, run);
        case 'ternary':
          return this.#ternaryPiece(stack, inputs, run);
      }
    });
    const outputs = parts.reduce((sum, { rows }) => sum + rows, 0);
    const bias = hasBias
      ? this.#add({
          name: `${name}.bias`,
          shape: [outputs],
          dtype: 'f32',
          parts: parts.map(({ module, rows }): WeightPart => ({ tensor: `${module}.bias`, shape: [rows] })),
        })
      : undefined;
    return { inputs, outputs, pieces, bias };
  }

  /** Groups parts that are stored alike: each group becomes one node. */
  #runs(parts: readonly LinearPart[], inputs: number): readonly Run[] {
    const runs: Run[] = [];
    let column = 0;
    for (const part of parts) {
      const matrix = this.#nf4Matrix(part, inputs);
      const format = matrix ? 'nf4' : this.#isTernary(part) ? 'ternary' : 'dense';
      const last = runs.at(-1);
      if (last?.format === format && this.#continues(last, matrix)) {
        last.parts.push(part);
        if (matrix) last.nf4.push(matrix);
      } else runs.push({ format, parts: [part], firstColumn: column, nf4: matrix ? [matrix] : [] });
      column += part.rows;
    }
    return runs;
  }

  /** Whether another part of a run's format can be computed by the run's node. */
  #continues({ format, parts, nf4 }: Run, matrix: Nf4Matrix | undefined): boolean {
    if (matrix) return continuesNf4Stack(nf4, matrix);
    // With a norm of its own, a matrix reads other rows than its neighbours.
    const hasNorm = this.#formats.bitnet?.normEpsilon !== undefined;
    return format === 'dense' || (!hasNorm && parts.length < mostTernaryParts);
  }

  #isTernary({ module }: LinearPart): boolean {
    const { bitnet } = this.#formats;
    return bitnet !== undefined && !bitnet.isDense(module);
  }

  /** The part's matrix if it is stored in NF4. Checkpoints saved from the bare model leave out the leading `model.`. */
  #nf4Matrix({ module, rows }: LinearPart, inputs: number): Nf4Matrix | undefined {
    const name = `${module}.weight`;
    const matrix = this.#formats.nf4.get(name) ?? this.#formats.nf4.get(name.replace(/^model\./, ''));
    if (!matrix || (matrix.rows === rows && matrix.columns === inputs)) return matrix;
    throw new ShapeError(
      `${matrix.codes.source.name}: tensor ${matrix.codes.name} in NF4`,
      formatShape([rows, inputs]),
      formatShape([matrix.rows, matrix.columns]),
    );
  }

  #densePiece(stack: string, inputs: number, { parts, firstColumn }: Run): DensePiece {
    const numColumns = parts.reduce((sum, { rows }) => sum + rows, 0);
    const weight = this.#add({
      name: `${stack}.weight`,
      shape: [numColumns, inputs],
      dtype: 'f32',
      parts: parts.map(({ module, rows }): WeightPart => ({ tensor: `${module}.weight`, shape: [rows, inputs] })),
    });
    return { format: 'dense', weight, firstColumn, numColumns };
  }

  #nf4Piece(stack: string, { parts, firstColumn, nf4 }: Run): Nf4Piece {
    const numColumns = parts.reduce((sum, { rows }) => sum + rows, 0);
    return { format: 'nf4', ...this.#nf4Weights(stack, nf4), firstColumn, numColumns };
  }

  #nf4Weights(stack: string, nf4: readonly Nf4Matrix[]): Nf4Weights {
    const names = { codes: `${stack}.weight.codes`, scales: `${stack}.weight.scales` };
    const shapes = nf4Shapes(nf4);
    const assembly = nf4Assembly(names, nf4);
    this.#add({ name: names.codes, shape: shapes.codes, dtype: 'u32', assembly });
    this.#add({ name: names.scales, shape: shapes.scales, dtype: 'f32', assembly });
    const first = must(nf4[0], 'matrix');
    return { ...names, map: this.#nf4Map(first), blockSize: first.blockSize };
  }

  #ternaryPiece(stack: string, inputs: number, { parts, firstColumn }: Run): TernaryPiece {
    const { module } = must(parts[0], 'part');
    const bitnet = must(this.#formats.bitnet, 'bitnet');
    const names = { codes: `${stack}.weight.codes`, scales: `${stack}.weight.scales` };
    const shapes = ternaryShapes(parts, inputs);
    const assembly = ternaryAssembly(names, parts, inputs, bitnet);
    this.#add({ name: names.codes, shape: shapes.codes, dtype: 'u32', assembly });
    this.#add({ name: names.scales, shape: shapes.scales, dtype: 'f32', assembly });
    const { linearClass, mode, normEpsilon: epsilon } = bitnet;
    const partColumns = parts.map(({ rows }) => rows);
    return {
      format: 'ternary',
      ...names,
      partColumns,
      scaling: linearClass === 'autobitlinear' ? 'multiply' : 'divide',
      // AutoBitLinear multiplies what its product with a bias gives, BitLinear adds the bias last.
      scalesBias: linearClass === 'autobitlinear' && mode === 'offline',
      norm: epsilon === undefined ? undefined : this.#ownNorm(module, inputs, epsilon),
      firstColumn,
      numColumns: partColumns.reduce((sum, rows) => sum + rows, 0),
    };
  }

  #ownNorm(module: string, inputs: number, epsilon: number): RmsNorm {
    const label = `${module}.rms_norm`;
    return { label, weight: this.tensor(`${label}.weight`, [inputs]), epsilon };
  }

  /** The values of a matrix's codes, as a weight that is shared by all matrices with the same. */
  #nf4Map({ map, mapEntry: { name, shape } }: Nf4Matrix): string {
    const key = map.join();
    const known = this.#maps.get(key);
    if (known !== undefined) return known;
    this.#maps.set(key, name);
    return this.#add({ name, shape, dtype: 'f32', parts: [{ tensor: name, shape }] });
  }

  #add(spec: WeightSpec): string {
    this.#specs.push(spec);
    return spec.name;
  }
}

function additionOfOne(weight: string, shape: Shape): WeightAssembly {
  return {
    tensors: [{ tensor: weight, shape, dtypes: floatDTypes }],
    assemble: ([stored]) => ({ [weight]: storedFloats(must(stored, weight)).map((value) => 1 + value) }),
  };
}

function transposition(weight: string, inputs: number, outputs: number): WeightAssembly {
  return {
    tensors: [{ tensor: weight, shape: [inputs, outputs], dtypes: floatDTypes }],
    assemble: ([stored]) => {
      const rows = storedFloats(must(stored, weight));
      const turned = new Float32Array(inputs * outputs);
      for (let input = 0; input < inputs; input++) {
        for (let output = 0; output < outputs; output++)
          turned[output * inputs + input] = must(rows[input * outputs + output], 'element');
      }
      return { [weight]: turned };
    },
  };
}
