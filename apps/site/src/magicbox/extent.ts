import type { CallExtent } from '../model_protocol.ts';

/** How much a model reads in these rows. @param rows each with the places of its questions; rows of the same ones are windows of the text. */
export function extentOf(rows: readonly { readonly questions: readonly number[] }[]): CallExtent {
  const windows = new Map<string, number>();
  for (const { questions } of rows) windows.set(questions.join(), (windows.get(questions.join()) ?? 0) + 1);
  return { numWindows: Math.max(0, ...windows.values()), numRows: rows.length };
}

/** A long text's extent in words; undefined of one that is read at once. */
export function describeExtent({ numWindows, numRows }: CallExtent): string | undefined {
  if (numWindows <= 1) return undefined;
  return `reading a long text in ${numWindows} windows: ${numRows} rows with the questions`;
}
