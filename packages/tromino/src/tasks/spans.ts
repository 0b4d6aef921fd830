import { spanFields, spanRowLength } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import { ScoreError } from '../util/errors.ts';

/** A span that the search found, in tokens of its row, both included. */
export interface FoundSpan {
  readonly first: number;
  readonly last: number;
  readonly score: number;
}

/** What the search found for one question. */
export interface FoundSpans {
  readonly noAnswerScore: number;
  /** Best first. */
  readonly spans: readonly FoundSpan[];
}

/**
 * Reads what the search found for each question of a row.
 *
 * **Shapes** values[numQuestions · (3 + 3 topK)], see `spanSearchContract` → [numQuestions], each of at most topK spans.
 *
 * @throws ScoreError where a logit is no finite number.
 */
export function readSpans(values: Float32Array, topK: number): FoundSpans[] {
  const length = spanRowLength(topK);
  return Array.from({ length: values.length / length }, (_, question) =>
    readQuestion(values.subarray(question * length, (question + 1) * length), topK),
  );
}

function readQuestion(values: Float32Array, topK: number): FoundSpans {
  const at = (place: number): number => must(values[place], 'span');
  const nonFinitePlace = at(spanFields.nonFinitePlace);
  if (nonFinitePlace !== 0) throw new ScoreError(nonFinitePlace - 1, at(spanFields.nonFinite));
  const spans: FoundSpan[] = [];
  for (let k = 0; k < topK; k++) {
    const place = spanFields.header + k * spanFields.count;
    const first = at(place + spanFields.start);
    if (first < 0) break;
    spans.push({ first, last: at(place + spanFields.end), score: at(place + spanFields.score) });
  }
  return { noAnswerScore: at(spanFields.noAnswer), spans };
}
