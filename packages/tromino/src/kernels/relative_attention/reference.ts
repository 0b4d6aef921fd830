import { scoreLimit } from '../attention/contract.ts';
import { exponentiate } from '../attention/reference.ts';
import { dot } from '../matmul/reference.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { tokenFields } from '../tokens.ts';
import type { RelativeAttentionProblem } from './contract.ts';

/** Attends each query to its whole row; scores, exponentials and sums in f64. */
export function relativeAttentionReference(problem: RelativeAttentionProblem, operands: OperandArrays): void {
  const { numTokens, numHeads, headDim, maxRowTokens } = problem;
  const v = floatOperand(operands, 'v', numTokens * problem.valueStride);
  const tokens = indexOperand(operands, 'tokens', numTokens * tokenFields.count);
  const out = floatOperand(operands, 'out', numTokens * numHeads * headDim);
  const score = scoreFunction(problem, operands, tokens);
  const scores = new Float64Array(maxRowTokens);
  const total = new Float64Array(headDim);
  for (let query = 0; query < numTokens; query++) {
    const start = indexAt(tokens, query * tokenFields.count + tokenFields.rowStart);
    const numKeys = indexAt(tokens, query * tokenFields.count + tokenFields.rowEnd) - start;
    for (let head = 0; head < numHeads; head++) {
      for (let i = 0; i < numKeys; i++) scores[i] = score(query, start + i, head);
      const sum = exponentiate(scores.subarray(0, numKeys));
      total.fill(0);
      for (let key = 0; key < numKeys; key++) {
        const e = at(scores, key);
        if (e === 0) continue;
        const from = (start + key) * problem.valueStride + problem.valueOffset + head * headDim;
        for (let i = 0; i < headDim; i++) total[i] = at(total, i) + e * at(v, from + i);
      }
      const to = (query * numHeads + head) * headDim;
      for (let i = 0; i < headDim; i++) out[to + i] = numKeys === 0 ? 0 : at(total, i) / sum;
    }
  }
}

function scoreFunction(
  problem: RelativeAttentionProblem,
  operands: OperandArrays,
  tokens: Uint32Array,
): (query: number, key: number, head: number) => number {
  const { numTokens, numHeads, headDim, numPositions, numBuckets, bucketStride } = problem;
  const { hasBias, hasBucketKeys, hasBucketQueries } = problem;
  const q = floatOperand(operands, 'q', numTokens * problem.queryStride);
  const k = floatOperand(operands, 'k', numTokens * problem.keyStride);
  const buckets = indexOperand(operands, 'buckets', 2 * numPositions - 1);
  const bias = hasBias ? floatOperand(operands, 'bias', numBuckets * numHeads) : undefined;
  const states =
    hasBucketKeys || hasBucketQueries
      ? floatOperand(operands, 'bucket_states', numBuckets * bucketStride)
      : undefined;
  const place = (token: number): number => indexAt(tokens, token * tokenFields.count + tokenFields.position);
  return (query, key, head) => {
    const queryFrom = query * problem.queryStride + problem.queryOffset + head * headDim;
    const keyFrom = key * problem.keyStride + problem.keyOffset + head * headDim;
    const bucket = indexAt(buckets, place(query) - place(key) + numPositions - 1);
    const stateFrom = bucket * bucketStride + head * headDim;
    let sum = dot(q, queryFrom, k, keyFrom, headDim);
    if (states && hasBucketKeys)
      sum += dot(q, queryFrom, states, stateFrom + problem.bucketKeyOffset, headDim);
    if (states && hasBucketQueries)
      sum += dot(k, keyFrom, states, stateFrom + problem.bucketQueryOffset, headDim);
    const score = problem.scale * sum + (bias ? at(bias, bucket * numHeads + head) : 0);
    return Math.min(Math.max(score, -scoreLimit), scoreLimit);
  };
}
