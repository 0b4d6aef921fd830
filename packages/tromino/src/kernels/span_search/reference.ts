import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import {
  boundaryFields,
  contextFields,
  spanFields,
  spanRowLength,
  type SpanSearchProblem,
} from './contract.ts';

/** Counted in tokens from the row's first, `end` not included. */
interface Candidate {
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** Where a row is in the operands; see {@link contextFields}. */
interface Row {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly firstBoundary: number;
}

/** Tries every span of every row. */
export function spanSearchReference(problem: SpanSearchProblem, operands: OperandArrays): void {
  const { numTokens, numRows, numBoundaries, topK } = problem;
  const logits = floatOperand(operands, 'logits', numTokens * 2);
  const contexts = indexOperand(operands, 'contexts', numRows * contextFields.count);
  const boundaries = indexOperand(operands, 'boundaries', numBoundaries * boundaryFields.count);
  const out = floatOperand(operands, 'out', numRows * spanRowLength(topK));
  for (let index = 0; index < numRows; index++) {
    const row = readRow(contexts.subarray(index * contextFields.count));
    const spans = bestSpans(logits, boundaries, row, problem);
    const rowOut = out.subarray(index * spanRowLength(topK), (index + 1) * spanRowLength(topK));
    rowOut[spanFields.noAnswer] = Math.fround(at(logits, row.first * 2) + at(logits, row.first * 2 + 1));
    const nonFinite = firstNonFinite(logits, row);
    rowOut[spanFields.nonFinitePlace] = nonFinite === undefined ? 0 : nonFinite - row.first * 2 + 1;
    rowOut[spanFields.nonFinite] = nonFinite === undefined ? 0 : at(logits, nonFinite);
    for (let k = 0; k < topK; k++) {
      const found = spans[k];
      const values = found ? [found.score, found.start, found.end - 1] : [0, -1, -1];
      rowOut.set(values, spanFields.header + k * spanFields.count);
    }
  }
}

function readRow(context: Uint32Array): Row {
  return {
    start: indexAt(context, contextFields.start),
    end: indexAt(context, contextFields.end),
    first: indexAt(context, contextFields.first),
    firstBoundary: indexAt(context, contextFields.firstBoundary),
  };
}

/** Keeps no more than are asked for: a long row has millions of spans. */
function bestSpans(
  logits: Float32Array,
  boundaries: Uint32Array,
  row: Row,
  { topK, maxAnswerTokens }: SpanSearchProblem,
): readonly Candidate[] {
  const boundary = (token: number, field: number): number =>
    indexAt(boundaries, (row.firstBoundary + token - row.first) * boundaryFields.count + field);
  const best: Candidate[] = [];
  for (let s = row.start; s < row.end; s++) {
    const start = boundary(s, boundaryFields.start);
    for (let e = s; e < Math.min(row.end, s + maxAnswerTokens); e++) {
      const score = Math.fround(at(logits, s * 2) + at(logits, e * 2 + 1));
      if (!Number.isFinite(score) || score < (best[topK - 1]?.score ?? -Infinity)) continue;
      const end = boundary(e, boundaryFields.end);
      if (start < end) insert(best, { score, start, end }, topK);
    }
  }
  return best;
}

/** Adds a span at its place, unless it is there already with a score that is as high. */
function insert(best: Candidate[], span: Candidate, topK: number): void {
  const known = best.findIndex(({ start, end }) => start === span.start && end === span.end);
  if (known >= 0) {
    if (!comesBefore(span, best[known])) return;
    best.splice(known, 1);
  }
  const after = best.findIndex((other) => comesBefore(span, other));
  best.splice(after < 0 ? best.length : after, 0, span);
  if (best.length > topK) best.pop();
}

function comesBefore(a: Candidate, b: Candidate | undefined): boolean {
  if (!b || a.score !== b.score) return !b || a.score > b.score;
  return a.start < b.start || (a.start === b.start && a.end < b.end);
}

/** Index of the first logit of the row's own first token, then of the context, that is no finite number. */
function firstNonFinite(logits: Float32Array, { first, start, end }: Row): number | undefined {
  const isNonFinite = (index: number): boolean => !Number.isFinite(at(logits, index));
  for (const index of [first * 2, first * 2 + 1]) if (isNonFinite(index)) return index;
  for (let index = start * 2; index < end * 2; index++) if (isNonFinite(index)) return index;
  return undefined;
}
