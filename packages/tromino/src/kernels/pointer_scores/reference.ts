import type { OperandArrays } from '../op.ts';
import { at, floatOperand, indexAt, indexOperand } from '../operands.ts';
import { pointerScale, pointerVectors, questionFields, type PointerScoresProblem } from './contract.ts';

/** Multiplies each question's vectors with those of each token of its row. */
export function pointerScoresReference(problem: PointerScoresProblem, operands: OperandArrays): void {
  const { numTokens, numQuestions, numPairs, width } = problem;
  const projected = floatOperand(operands, 'projected', numTokens * pointerVectors * width);
  const questions = indexOperand(operands, 'questions', numQuestions * questionFields.count);
  const out = floatOperand(operands, 'out', numPairs * 2);
  const scale = pointerScale(width);
  for (let question = 0; question < numQuestions; question++) {
    const field = (place: number): number => indexAt(questions, question * questionFields.count + place);
    for (let place = 0; place < field(questionFields.rowTokens); place++) {
      for (const side of [0, 1]) {
        const asked = (field(questionFields.token) * pointerVectors + side) * width;
        const token = ((field(questionFields.rowStart) + place) * pointerVectors + 2 + side) * width;
        let sum = 0;
        for (let k = 0; k < width; k++) sum += at(projected, asked + k) * at(projected, token + k);
        out[(field(questionFields.firstPair) + place) * 2 + side] = sum * scale;
      }
    }
  }
}
