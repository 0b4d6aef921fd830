import type { BatchRules } from '../graph/batch.ts';
import type { BatchShape } from '../graph/graph.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { optionNames } from '../util/option_names.ts';

/** What a plan may be told of its rows beside their lengths. */
export interface RowOptions {
  /** Questions that each row holds, in models that read several at once; 1 by default. */
  readonly questionsPerRow?: number;
}

export const rowOptionNames = optionNames<RowOptions>({ questionsPerRow: true });

/** What rows a model takes. */
export interface RowLimits {
  readonly maxTokens: number;
  readonly batchRules: BatchRules;
}

/**
 * The shape of a batch of rows without padding.
 * @param option what the caller wrote the lengths for.
 * @throws OptionError for lengths that no input can have, and for questions in rows that hold none.
 */
export function batchShape(
  rowLengths: number | readonly number[],
  { maxTokens, batchRules }: RowLimits,
  { questionsPerRow }: RowOptions,
  option: string,
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
  const whole = { ...shape, numPositions: shape.maxRowTokens };
  if (questionsPerRow === undefined) return whole;
  const most = batchRules.questionMarker === undefined ? 0 : shape.maxRowTokens;
  if (!Number.isInteger(questionsPerRow) || questionsPerRow < 1 || questionsPerRow > most) {
    const expected =
      most === 0 ? 'none with this model, whose rows hold no questions' : `an integer from 1 to ${most}`;
    throw new OptionError('questionsPerRow', expected, describe(questionsPerRow));
  }
  const { numRows, numTokens } = shape;
  return { ...whole, numQuestions: numRows * questionsPerRow, numPairs: numTokens * questionsPerRow };
}
