import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { AddProblem } from './contract.ts';

/** Adds element by element. */
export function addReference({ length }: AddProblem, operands: OperandArrays): void {
  const a = floatOperand(operands, 'a', length);
  const b = floatOperand(operands, 'b', length);
  const out = floatOperand(operands, 'out', length);
  for (let i = 0; i < length; i++) out[i] = at(a, i) + at(b, i);
}
