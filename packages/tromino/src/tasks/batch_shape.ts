import type { BatchShape } from '../graph/graph.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';

/**
 * The shape of a batch of rows without padding.
 * @param option what the caller calls the lengths.
 * @throws OptionError for lengths that no input can have.
 */
export function batchShape(
  rowLengths: number | readonly number[],
  maxTokens: number,
  option = 'rowLengths',
): BatchShape {
  const lengths: unknown = typeof rowLengths === 'number' ? [rowLengths] : rowLengths;
  // Callers without types may pass anything.
  if (!Array.isArray(lengths))
    throw new OptionError(option, 'a number or a list of numbers', describe(lengths));
  if (lengths.length === 0) throw new OptionError(option, 'at least one row', 'none');
  const shape = { numTokens: 0, numRows: lengths.length, maxRowTokens: 0 };
  for (const length of lengths as readonly number[]) {
    if (!Number.isInteger(length) || length < 1 || length > maxTokens) {
      throw new OptionError(option, `integers from 1 to ${maxTokens}`, describe(length));
    }
    shape.numTokens += length;
    shape.maxRowTokens = Math.max(shape.maxRowTokens, length);
  }
  return { ...shape, numPositions: shape.maxRowTokens };
}
