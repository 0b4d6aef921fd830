import type { Range } from '../graph/batch.ts';
import { must } from '../util/assert.ts';
import type { QuestionRow } from './question_rows.ts';
import type { TextPlaces } from './text_calls.ts';

/**
 * Where answers begin and end that are made of a row's tokens. Tokens of one character begin with the first and end with the last of them;
 * white space begins with the word behind it and ends with the one before. So two answers differ in the text if they differ here, and the best
 * ten of a search are ten answers.
 * @param places those of the row's text.
 * @returns for each column of the row where an answer begins of which it is the first token, and ends of which it is the last.
 */
export function answerBoundaries({ ids, spans, context }: QuestionRow, places: TextPlaces): readonly Range[] {
  const words = spans.map((span, column) =>
    context.start <= column && column < context.end ? places.span(span) : undefined,
  );
  const starts = firstOfEach(words.map((word) => word?.start));
  // The same from behind: the last token of each end.
  const ends = firstOfEach(words.map((word) => word?.end).reverse())
    .map((column) => ids.length - column)
    .reverse();
  return starts.map((start, column) => ({ start, end: must(ends[column], 'end') }));
}

/** For each value, the first column that has it; for a column without a value, what the next with one has. */
function firstOfEach(values: readonly (number | undefined)[]): number[] {
  const firsts = new Map<number, number>();
  values.forEach((value, column) => {
    if (value !== undefined && !firsts.has(value)) firsts.set(value, column);
  });
  let next = values.length;
  return values.reduceRight<number[]>((found, value, column) => {
    if (value !== undefined) next = must(firsts.get(value), 'first column');
    found[column] = next;
    return found;
  }, []);
}
