import type { BitNetQuantization } from '../formats/huggingface/bitnet_quantization.ts';
import type { AssemblyTensor, StoredTensor, WeightAssembly } from '../graph/graph.ts';
import { floatDTypes } from '../tensor/decode.ts';
import type { Shape } from '../tensor/shape.ts';
import { packTernary, quantizeTernary, ternaryGroups, unpackTernary, type TernaryMatrix } from '../tensor/ternary.ts';
import { must } from '../util/assert.ts';
import { FormatError, ShapeError } from '../util/errors.ts';
import { storedFloats } from './stored_floats.ts';

/** Names of the weights that a stack of ternary matrices becomes. */
export interface TernaryWeightNames {
  readonly codes: string;
  readonly scales: string;
}

/** A matrix with its scale: what a part of a stack is. */
interface ScaledMatrix {
  readonly matrix: TernaryMatrix;
  readonly scale: number;
}

/** One matrix of a stack as the checkpoint names it. */
interface TernaryPart {
  readonly module: string;
  readonly rows: number;
}

/** Device shapes of a stack's codes and scales: two bits a weight, and one number a matrix. */
export function ternaryShapes(
  parts: readonly TernaryPart[],
  inputs: number,
): { readonly codes: Shape; readonly scales: Shape } {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  return { codes: [ternaryGroups(inputs), rows], scales: [parts.length] };
}

/**
 * How a stack's codes and scales are made of its tensors: packed codes are put into the order of the kernels, floats are rounded first.
 * @throws ShapeError for packed rows that are no multiple of four; when it assembles, FormatError for a code of 3, a scale that cannot be
 * computed with, or a float that is no finite number.
 */
export function ternaryAssembly(
  names: TernaryWeightNames,
  parts: readonly TernaryPart[],
  inputs: number,
  { mode, linearClass }: BitNetQuantization,
): WeightAssembly {
  const dividesByScale = linearClass === 'bitlinear';
  const read = mode === 'offline' ? readPacked : readFloats;
  const tensors = parts.map((part) => (mode === 'offline' ? packedTensors : floatTensors)(part, inputs));
  return {
    tensors: tensors.flat(),
    assemble: (stored) => {
      let next = 0;
      const matrices = parts.map(({ rows }, index): ScaledMatrix => {
        const first = next;
        next += must(tensors[index], 'tensors').length;
        return read(stored.slice(first, next), rows, inputs, dividesByScale);
      });
      return {
        [names.codes]: packTernary(
          matrices.map(({ matrix }) => matrix),
          inputs,
        ),
        [names.scales]: Float32Array.from(matrices, ({ scale }) => scale),
      };
    },
  };
}

function packedTensors({ module, rows }: TernaryPart, inputs: number): AssemblyTensor[] {
  if (rows % 4 !== 0) {
    throw new ShapeError(`${module}.weight`, 'rows in a multiple of 4, as ternary codes are packed', `${rows}`);
  }
  return [
    { tensor: `${module}.weight`, shape: [rows / 4, inputs], dtypes: ['u8'] },
    { tensor: `${module}.weight_scale`, shape: [1], dtypes: floatDTypes },
  ];
}

function readPacked(
  stored: readonly StoredTensor[],
  rows: number,
  columns: number,
  dividesByScale: boolean,
): ScaledMatrix {
  const [codes, scale] = stored;
  const { name, bytes } = must(codes, 'codes');
  return { matrix: unpackTernary(name, bytes, rows, columns), scale: readScale(must(scale, 'scale'), dividesByScale) };
}

/** An infinite scale that divides would leave zeros, which look like an answer. */
function readScale(stored: StoredTensor, dividesByScale: boolean): number {
  const scale = must(storedFloats(stored)[0], 'scale');
  if (Number.isFinite(scale) && !(dividesByScale && scale === 0)) return scale;
  const expected = `a finite number${dividesByScale ? ' other than 0' : ''}`;
  throw new FormatError(`tensor ${stored.name}`, `expected ${expected}, found ${scale}`);
}

function floatTensors({ module, rows }: TernaryPart, inputs: number): AssemblyTensor[] {
  return [{ tensor: `${module}.weight`, shape: [rows, inputs], dtypes: floatDTypes }];
}

function readFloats([weight]: readonly StoredTensor[], rows: number, columns: number): ScaledMatrix {
  const stored = must(weight, 'weight');
  const values = storedFloats(stored);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return quantizeTernary(values, rows, columns);
  const place = `row ${Math.floor(wrong / columns)}, column ${wrong % columns}`;
  throw new FormatError(`tensor ${stored.name}`, `${place}: expected a finite number, found ${values[wrong] as number}`);
}
