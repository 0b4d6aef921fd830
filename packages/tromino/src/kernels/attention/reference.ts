import { dot } from '../matmul/reference.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { exponential, laneSum, quotient } from '../portable.ts';
import { tokenFields } from '../tokens.ts';
import { scoreLimit, type AttentionProblem } from './contract.ts';

/** Attends each query to its whole row; scores, exponentials and sums in f64, or with the device's bits where the problem is portable. */
export function attentionReference(problem: AttentionProblem, operands: OperandArrays): void {
  const { numTokens, numHeads, numKeyHeads, headDim, maxRowTokens, portable } = problem;
  const f32 = Math.fround;
  const q = floatOperand(operands, 'q', numTokens * problem.queryStride);
  const k = floatOperand(operands, 'k', numTokens * problem.keyStride);
  const v = floatOperand(operands, 'v', numTokens * problem.valueStride);
  const tokens = indexOperand(operands, 'tokens', numTokens * tokenFields.count);
  const out = floatOperand(operands, 'out', numTokens * numHeads * headDim);
  const scores = new Float64Array(maxRowTokens);
  const total = new Float64Array(headDim);
  for (let token = 0; token < numTokens; token++) {
    const keys = allowedKeys(problem, tokens, token);
    for (let head = 0; head < numHeads; head++) {
      const keyHead = Math.floor(head / (numHeads / numKeyHeads));
      const query = token * problem.queryStride + problem.queryOffset + head * headDim;
      keys.forEach((key, index) => {
        const keyFrom = key * problem.keyStride + problem.keyOffset + keyHead * headDim;
        const score = portable
          ? f32(f32(problem.scale) * portableDot(q, query, k, keyFrom, headDim))
          : problem.scale * dot(q, query, k, keyFrom, headDim);
        scores[index] = Math.min(Math.max(score, -scoreLimit), scoreLimit);
      });
      const row = scores.subarray(0, keys.length);
      const firstLane = (keys[0] ?? 0) - indexAt(tokens, token * tokenFields.count + tokenFields.rowStart);
      const sum = portable ? portableExponentials(row, firstLane) : exponentiate(row);
      total.fill(0);
      keys.forEach((key, index) => {
        const e = at(scores, index);
        if (e === 0) return;
        const valueFrom = key * problem.valueStride + problem.valueOffset + keyHead * headDim;
        for (let i = 0; i < headDim; i++) {
          const value = at(v, valueFrom + i);
          total[i] = portable ? f32(at(total, i) + f32(e * value)) : at(total, i) + e * value;
        }
      });
      const to = (token * numHeads + head) * headDim;
      const inverse = portable ? quotient(1, sum) : 1 / sum;
      for (let i = 0; i < headDim; i++) out[to + i] = keys.length === 0 ? 0 : at(total, i) * inverse;
    }
  }
}

/** A dot product in order, each product and sum rounded to f32. */
function portableDot(a: Float32Array, aFrom: number, b: Float32Array, bFrom: number, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum = Math.fround(sum + Math.fround(at(a, aFrom + i) * at(b, bFrom + i)));
  return sum;
}

/** As `exponentiate`, with the bits of portable arithmetic. */
function portableExponentials(scores: Float64Array, firstLane: number): number {
  const largest = scores.reduce((max, score) => Math.max(max, score), -Infinity);
  scores.forEach((score, index) => {
    scores[index] = exponential(Math.max(Math.fround(score - largest), -200));
  });
  return laneSum(scores.length, (index) => at(scores, index), firstLane);
}

/** The tokens that a query sees, in order. */
function allowedKeys(problem: AttentionProblem, tokens: Uint32Array, token: number): number[] {
  const field = (of: number, name: 'rowStart' | 'rowEnd' | 'position'): number =>
    indexAt(tokens, of * tokenFields.count + tokenFields[name]);
  const end = problem.causal ? token + 1 : field(token, 'rowEnd');
  const keys: number[] = [];
  for (let key = field(token, 'rowStart'); key < end; key++) {
    const distance = Math.abs(field(token, 'position') - field(key, 'position'));
    if (problem.window === 0 || distance < problem.window) keys.push(key);
  }
  return keys;
}

/** Replaces scores by exp(score - maximum), in place, and returns their sum. */
export function exponentiate(scores: Float64Array): number {
  let max = -Infinity;
  for (const score of scores) max = Math.max(max, score);
  let sum = 0;
  scores.forEach((score, index) => {
    const e = Math.exp(score - max);
    scores[index] = e;
    sum += e;
  });
  return sum;
}
