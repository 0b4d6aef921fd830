import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { contextFields, spanFields, spanRowLength, type SpanSearchProblem } from './contract.ts';

interface Candidate {
  readonly score: number;
  readonly start: number;
  readonly end: number;
}

/** Tries every span of every row. */
export function spanSearchReference(problem: SpanSearchProblem, operands: OperandArrays): void {
  const { numTokens, numRows, topK, maxAnswerTokens } = problem;
  const logits = floatOperand(operands, 'logits', numTokens * 2);
  const contexts = indexOperand(operands, 'contexts', numRows * contextFields.count);
  const out = floatOperand(operands, 'out', numRows * spanRowLength(topK));
  for (let row = 0; row < numRows; row++) {
    const context = contexts.subarray(row * contextFields.count);
    const [start, end, first] = [
      indexAt(context, 0),
      indexAt(context, 1),
      indexAt(context, contextFields.first),
    ];
    const candidates = bestSpans(logits, start, end, maxAnswerTokens, topK);
    const rowOut = out.subarray(row * spanRowLength(topK), (row + 1) * spanRowLength(topK));
    rowOut[spanFields.noAnswer] = Math.fround(at(logits, first * 2) + at(logits, first * 2 + 1));
    const nonFinite = firstNonFinite(logits, first, start, end);
    rowOut[spanFields.nonFinitePlace] = nonFinite === undefined ? 0 : nonFinite - first * 2 + 1;
    rowOut[spanFields.nonFinite] = nonFinite === undefined ? 0 : at(logits, nonFinite);
    for (let k = 0; k < topK; k++) {
      const found = candidates[k];
      const values = found ? [found.score, found.start - first, found.end - first] : [0, -1, -1];
      rowOut.set(values, spanFields.header + k * spanFields.count);
    }
  }
}

/** Keeps no more than are asked for: a long row has millions of spans. */
function bestSpans(
  logits: Float32Array,
  start: number,
  end: number,
  maxAnswerTokens: number,
  topK: number,
): readonly Candidate[] {
  const best: Candidate[] = [];
  for (let s = start; s < end; s++) {
    for (let e = s; e < Math.min(end, s + maxAnswerTokens); e++) {
      const score = Math.fround(at(logits, s * 2) + at(logits, e * 2 + 1));
      if (!Number.isFinite(score) || score <= (best[topK - 1]?.score ?? -Infinity)) continue;
      // Spans come in order of start and end, so of equal scores those that are there stay before this one.
      const after = best.findIndex((other) => other.score < score);
      best.splice(after < 0 ? best.length : after, 0, { score, start: s, end: e });
      if (best.length > topK) best.pop();
    }
  }
  return best;
}

/** Index of the first logit of the row's own first token, then of the context, that is no finite number. */
function firstNonFinite(logits: Float32Array, first: number, start: number, end: number): number | undefined {
  const isNonFinite = (index: number): boolean => !Number.isFinite(at(logits, index));
  for (const index of [first * 2, first * 2 + 1]) if (isNonFinite(index)) return index;
  for (let index = start * 2; index < end * 2; index++) if (isNonFinite(index)) return index;
  return undefined;
}
