import type { TensorEntry, WeightIndex } from '../formats/weight_index.ts';
import type { WeightPart, WeightSpec } from '../graph/graph.ts';
import { isFloat } from '../tensor/decode.ts';
import { formatShape, sameShape } from '../tensor/shape.ts';
import { FormatError, ShapeError, UnsupportedError } from '../util/errors.ts';

/** Where one stored tensor's elements go: into which weight, from which element on. */
export interface ResolvedPart {
  readonly entry: TensorEntry;
  readonly weight: string;
  readonly firstElement: number;
}

/**
 * Finds every tensor that the weights are made of, before a byte is read.
 * @throws FormatError listing all tensors that are missing.
 * @throws ShapeError naming a tensor whose shape is not what the config promises.
 */
export function resolveWeights(
  specs: readonly WeightSpec[],
  index: WeightIndex,
  file: string,
): ResolvedPart[] {
  const missing: string[] = [];
  const resolved: ResolvedPart[] = [];
  for (const { name, parts } of specs) {
    let firstElement = 0;
    for (const part of parts) {
      const entry = findTensor(index, part);
      if (!entry) missing.push(part.tensor);
      else if (!isFloat(entry.dtype)) {
        throw new UnsupportedError(
          `tensor ${entry.name}`,
          `stored as ${entry.dtype}; f32, f16, bf16 or f64 is expected`,
        );
      } else if (!sameShape(entry.shape, part.shape)) {
        throw new ShapeError(
          `${entry.source.name}: tensor ${entry.name}`,
          formatShape(part.shape),
          formatShape(entry.shape),
        );
      } else resolved.push({ entry, weight: name, firstElement });
      firstElement += part.shape.reduce((product, size) => product * size, 1);
    }
  }
  if (missing.length > 0) {
    throw new FormatError(file, `${missing.length} tensors are missing: ${shorten(missing).join(', ')}`);
  }
  return resolved;
}

/** Checkpoints saved from the bare model, without its head's wrapper, leave out the leading `model.`. */
function findTensor(index: WeightIndex, part: WeightPart): TensorEntry | undefined {
  return index.tensors.get(part.tensor) ?? index.tensors.get(part.tensor.replace(/^model\./, ''));
}

function shorten(names: readonly string[]): readonly string[] {
  const most = 12;
  return names.length <= most ? names : [...names.slice(0, most), `and ${names.length - most} more`];
}
