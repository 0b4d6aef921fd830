import type { TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import type { WeightAssembly, WeightPart, WeightSpec } from '../graph/graph.ts';
import { isFloat } from '../tensor/decode.ts';
import { elementCount, formatShape, sameShape } from '../tensor/shape.ts';
import { FormatError, ShapeError, UnsupportedError } from '../util/errors.ts';

/** Where one stored tensor's elements go: into which weight, from which element on. */
export interface ResolvedPart {
  readonly entry: TensorEntry;
  readonly weight: string;
  readonly firstElement: number;
}

/** An assembly with its tensors, in its order. */
export interface ResolvedAssembly {
  readonly assembly: WeightAssembly;
  readonly entries: readonly TensorEntry[];
}

/** Every tensor that a model's weights are made of, and what becomes of it. */
export interface ResolvedWeights {
  readonly parts: readonly ResolvedPart[];
  readonly assemblies: readonly ResolvedAssembly[];
}

/** Tensors that a load will read. */
export function storedEntries({ parts, assemblies }: ResolvedWeights): readonly TensorEntry[] {
  return [...parts.map(({ entry }) => entry), ...assemblies.flatMap(({ entries }) => entries)];
}

/** Bytes that a load will read. */
export function storedBytes(resolved: ResolvedWeights): number {
  return storedEntries(resolved).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/**
 * Finds every tensor that the weights are made of, before a byte is read.
 * @throws FormatError listing all tensors that are missing.
 * @throws ShapeError naming a tensor whose shape is not what the config promises.
 * @throws UnsupportedError naming a tensor that is stored in another type than it may be.
 */
export function resolveWeights(
  specs: readonly WeightSpec[],
  index: WeightIndex,
  file: string,
): ResolvedWeights {
  const missing: string[] = [];
  const find = (part: WeightPart): TensorEntry | undefined => {
    const entry = findTensor(index, part);
    if (!entry) missing.push(part.tensor);
    return entry;
  };
  const parts: ResolvedPart[] = [];
  const assemblies = new Set<WeightAssembly>();
  for (const spec of specs) {
    if ('assembly' in spec) {
      assemblies.add(spec.assembly);
      continue;
    }
    let firstElement = 0;
    for (const part of spec.parts) {
      const entry = find(part);
      if (entry) {
        checkUnpacked(entry, index);
        parts.push({ entry: checkFloat(checkShape(entry, part)), weight: spec.name, firstElement });
      }
      firstElement += elementCount(part.shape);
    }
  }
  const resolved = [...assemblies].map((assembly): ResolvedAssembly => {
    const entries = assembly.tensors.flatMap((part) => {
      const entry = find(part);
      return entry ? [checkShape(checkDType(entry, part.dtypes), part)] : [];
    });
    return { assembly, entries };
  });
  if (missing.length > 0) {
    throw new FormatError(file, `${missing.length} tensors are missing: ${shorten(missing).join(', ')}`);
  }
  return { parts, assemblies: resolved };
}

function checkShape(entry: TensorEntry, { shape }: WeightPart): TensorEntry {
  if (sameShape(entry.shape, shape)) return entry;
  throw new ShapeError(
    `${entry.source.name}: tensor ${entry.name}`,
    formatShape(shape),
    formatShape(entry.shape),
  );
}

/** Families ask for floats wherever activations are not multiplied by a matrix. */
function checkUnpacked({ name, source }: TensorEntry, index: WeightIndex): void {
  if (!index.nf4.has(name)) return;
  throw new UnsupportedError(
    `${source.name}, tensor ${name}`,
    'stored in NF4; only projections and tables of tokens may be',
  );
}

function checkFloat(entry: TensorEntry): TensorEntry {
  if (isFloat(entry.dtype)) return entry;
  throw new UnsupportedError(
    `tensor ${entry.name}`,
    `stored as ${entry.dtype}; f32, f16, bf16 or f64 is expected`,
  );
}

function checkDType(entry: TensorEntry, dtypes: WeightAssembly['tensors'][number]['dtypes']): TensorEntry {
  if (dtypes.includes(entry.dtype)) return entry;
  throw new UnsupportedError(
    `tensor ${entry.name}`,
    `stored as ${entry.dtype}; ${dtypes.join(' or ')} is expected`,
  );
}

/** Checkpoints saved from the bare model, without its head's wrapper, leave out the leading `model.`. */
function findTensor(index: WeightIndex, part: WeightPart): TensorEntry | undefined {
  return index.tensors.get(part.tensor) ?? index.tensors.get(part.tensor.replace(/^model\./, ''));
}

function shorten(names: readonly string[]): readonly string[] {
  const most = 12;
  return names.length <= most ? names : [...names.slice(0, most), `and ${names.length - most} more`];
}
