import type { NestedScalesEntry, Nf4Matrix, TensorEntry } from '../formats/weight_index.ts';
import type { AssemblyTensor, StoredTensor, WeightAssembly } from '../graph/graph.ts';
import { nf4Scales, nf4Words, packNf4Codes, packNf4Scales, type StackedRows } from '../kernels/index.ts';
import { roundToBfloat16 } from '../tensor/bfloat16.ts';
import { roundToFloat16 } from '../tensor/float16.ts';
import { expandNestedScales, nf4Bytes } from '../tensor/nf4.ts';
import { elementCount } from '../tensor/shape.ts';
import { must } from '../util/assert.ts';
import { requireFinite, storedScales } from './stored_floats.ts';

/** Names of the weights that a stack of matrices in NF4 becomes. */
export interface Nf4WeightNames {
  readonly codes: string;
  readonly scales: string;
}

/**
 * Whether a matrix can be computed by one node with those before it: `matmul_nf4` knows one block size and one map, and lays scales out by
 * rows only where rows are whole blocks; else all matrices but the last must be.
 */
export function continuesNf4Stack(before: readonly Nf4Matrix[], next: Nf4Matrix): boolean {
  const first = before[0];
  if (!first) return true;
  const { blockSize, columns, map } = first;
  const count = before.reduce((sum, { rows }) => sum + rows, 0) * columns;
  const endsBlock = columns % blockSize === 0 || count % blockSize === 0;
  return next.blockSize === blockSize && next.map.every((value, code) => value === map[code]) && endsBlock;
}

/** Device shapes of a stack's codes and scales. */
export function nf4Shapes(matrices: readonly Nf4Matrix[]): { codes: [number]; scales: [number] } {
  const { columns, blockSize } = must(matrices[0], 'matrix');
  const rows = matrices.reduce((sum, matrix) => sum + matrix.rows, 0);
  return { codes: [nf4Words(rows, columns)], scales: [nf4Scales(rows, columns, blockSize)] };
}

/**
 * How a stack's codes and scales are made of its tensors: codes stay four bits and are put into the order of the kernels, scales that were
 * quantised again are computed once.
 *
 * Assembling throws a FormatError for a scale that is no finite number.
 */
export function nf4Assembly(names: Nf4WeightNames, matrices: readonly Nf4Matrix[]): WeightAssembly {
  const { columns, blockSize } = must(matrices[0], 'matrix');
  const shapes = nf4Shapes(matrices);
  return {
    tensors: matrices.flatMap((matrix) => entriesOf(matrix).map(assemblyTensor)),
    assemble: (tensors) => {
      const tensorOf = new Map(tensors.map((tensor) => [tensor.name, tensor]));
      const codes = new Uint32Array(elementCount(shapes.codes));
      const scales = new Float32Array(elementCount(shapes.scales));
      const total = matrices.reduce((sum, { rows }) => sum + rows, 0);
      let first = 0;
      for (const matrix of matrices) {
        const stored = (entry: TensorEntry): StoredTensor => must(tensorOf.get(entry.name), entry.name);
        const rows: StackedRows = { first, count: matrix.rows, total };
        const bytes = stored(matrix.codes).bytes.subarray(0, nf4Bytes(matrix.rows * columns));
        packNf4Codes(codes, bytes, rows, columns);
        packNf4Scales(scales, scalesOf(matrix, stored), rows, columns, blockSize);
        first += matrix.rows;
      }
      return { [names.codes]: codes, [names.scales]: scales };
    },
  };
}

/** The tensors with a matrix's codes and scales. Its map is small and known already. */
function entriesOf({ codes, scales, nested }: Nf4Matrix): readonly TensorEntry[] {
  return nested ? [codes, scales, nested.absmax, nested.map] : [codes, scales];
}

function assemblyTensor({ name, shape, dtype }: TensorEntry): AssemblyTensor {
  return { tensor: name, shape, dtypes: [dtype] };
}

function scalesOf(
  { scales, nested }: Nf4Matrix,
  stored: (entry: TensorEntry) => StoredTensor,
): Float32Array {
  if (!nested) return storedScales(stored(scales));
  const expanded = expandNestedScales(
    {
      codes: stored(scales).bytes,
      absmax: storedScales(stored(nested.absmax)),
      map: storedScales(stored(nested.map)),
      blockSize: nested.blockSize,
      offset: nested.offset,
    },
    roundings[nested.dtype],
  );
  // Two finite numbers may have a product that is none.
  return requireFinite(scales.name, expanded);
}

/** Rounds to what bitsandbytes computed the scales in; f32 unless someone chose otherwise. */
const roundings: Readonly<Record<NestedScalesEntry['dtype'], (value: number) => number>> = {
  float32: Math.fround,
  bfloat16: roundToBfloat16,
  float16: roundToFloat16,
};
