import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { ActivationProblem } from './contract.ts';
import { activate } from './functions.ts';

/** Applies the activation to every element, in f64. */
export function activationReference(
  { length, activation }: ActivationProblem,
  operands: OperandArrays,
): void {
  const x = floatOperand(operands, 'x', length);
  const out = floatOperand(operands, 'out', length);
  for (let i = 0; i < length; i++) out[i] = activate(activation, at(x, i));
}
