import { dot } from '../matmul/reference.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { tokenFields } from '../tokens.ts';
import { scoreLimit, type AttentionProblem } from './contract.ts';

/** Attends each query to its whole row; scores, exponentials and sums in f64. */
export function attentionReference(problem: AttentionProblem, operands: OperandArrays): void {
  const { numTokens, numHeads, numKeyHeads, headDim, maxRowTokens } = problem;
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
        const score = problem.scale * dot(q, query, k, keyFrom, headDim);
        scores[index] = Math.min(Math.max(score, -scoreLimit), scoreLimit);
      });
      const sum = exponentiate(scores.subarray(0, keys.length));
      total.fill(0);
      keys.forEach((key, index) => {
        const e = at(scores, index);
        if (e === 0) return;
        const valueFrom = key * problem.valueStride + problem.valueOffset + keyHead * headDim;
        for (let i = 0; i < headDim; i++) total[i] = at(total, i) + e * at(v, valueFrom + i);
      });
      const to = (token * numHeads + head) * headDim;
      for (let i = 0; i < headDim; i++) out[to + i] = keys.length === 0 ? 0 : at(total, i) / sum;
    }
  }
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
