import type { GraphValue } from '../graph/graph.ts';
import type { DeviceCaps, OpName } from '../kernels/index.ts';
import { elementCount } from '../tensor/shape.ts';
import { UnsupportedError } from '../util/errors.ts';
import type { PlannedWeight } from './plan.ts';

/** The operand of an op that may come in several buffers, one dispatch for each. All others must be whole. */
export const chunkableOperands: Readonly<Partial<Record<OpName, string>>> = {
  matmul: 'weight',
  embedding: 'table',
  embedding_sum: 'table',
};

/** The largest buffer that can be bound whole. */
export function bindingLimitBytes(caps: DeviceCaps): number {
  return Math.min(caps.maxStorageBufferBindingSize, caps.maxBufferSize);
}

/**
 * Cuts a weight into runs of whole rows that a binding can hold; one run where it fits whole, which is the rule.
 * @param readers which operands of which ops the weight is, as `matmul.weight`.
 * @throws UnsupportedError naming the tensor, its size and the limit, where it may not be cut or one row is too large already.
 */
export function chunkWeight(
  value: GraphValue,
  readers: readonly string[],
  caps: DeviceCaps,
): PlannedWeight[] {
  const sizeBytes = elementCount(value.shape) * 4;
  const limitBytes = bindingLimitBytes(caps);
  const numRows = value.shape[0] ?? 1;
  const rowBytes = sizeBytes / numRows;
  if (sizeBytes <= limitBytes) return [{ weight: value.name, firstRow: 0, numRows, sizeBytes }];
  if (rowBytes > limitBytes || !readers.every(isChunkable)) {
    throw new UnsupportedError(
      'maxStorageBufferBindingSize',
      `${value.name} needs ${sizeBytes} bytes in one binding, this adapter allows ${limitBytes}`,
    );
  }
  const rowsPerChunk = Math.floor(limitBytes / rowBytes);
  return Array.from({ length: Math.ceil(numRows / rowsPerChunk) }, (_, chunk) => {
    const firstRow = chunk * rowsPerChunk;
    const rows = Math.min(rowsPerChunk, numRows - firstRow);
    return { weight: value.name, firstRow, numRows: rows, sizeBytes: rows * rowBytes };
  });
}

function isChunkable(reader: string): boolean {
  return Object.entries(chunkableOperands).some(([op, operand]) => reader === `${op}.${operand}`);
}
