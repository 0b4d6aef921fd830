/** A span of a text that is lit for a question, in UTF-16 units. */
export interface LitSpan {
  /** Id of the question that it answers. */
  readonly question: number;
  readonly start: number;
  readonly end: number;
}

/** A part of a text with the questions for which it is lit: none, one, or several where spans overlap. */
export interface LitPart {
  readonly text: string;
  readonly questions: readonly number[];
  /** Those of them whose spans begin with this part. */
  readonly begins: readonly number[];
}

/** Cuts a text where a span begins or ends. The parts together are the text; spans may overlap, and what reaches beyond the text is cut off. */
export function litParts(text: string, spans: readonly LitSpan[]): LitPart[] {
  const inside = (place: number): number => Math.max(0, Math.min(text.length, place));
  const places = [0, text.length, ...spans.flatMap(({ start, end }) => [inside(start), inside(end)])];
  const cuts = [...new Set(places)].sort((a, b) => a - b);
  return cuts.slice(1).map((end, i) => {
    const start = cuts[i] ?? 0;
    const over = spans.filter((span) => span.start <= start && span.end >= end);
    return {
      text: text.slice(start, end),
      questions: over.map(({ question }) => question),
      begins: over.filter((span) => inside(span.start) === start).map(({ question }) => question),
    };
  });
}

/**
 * Takes spans of a text along to its next edition, so that they stay lit while a new answer is awaited. What stands before the edit stays,
 * what stands behind it moves, and what was edited goes.
 */
export function followEdit<Span extends { readonly start: number; readonly end: number }>(
  spans: readonly Span[],
  before: string,
  after: string,
): Span[] {
  const head = commonLength(before, after, (text, i) => text.charCodeAt(i));
  // The head and the tail must not share characters: in "aa" → "aaa" there is one of each.
  const rest = Math.min(before.length, after.length) - head;
  const tail = Math.min(
    rest,
    commonLength(before, after, (text, i) => text.charCodeAt(text.length - 1 - i)),
  );
  const shift = after.length - before.length;
  return spans.flatMap((span) => {
    if (span.end <= head) return [span];
    if (span.start < before.length - tail) return [];
    return [{ ...span, start: span.start + shift, end: span.end + shift }];
  });
}

function commonLength(a: string, b: string, unitAt: (text: string, i: number) => number): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && unitAt(a, length) === unitAt(b, length)) length++;
  return length;
}
