import { activate } from '../activation/functions.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { GatedActivationProblem } from './contract.ts';

/** Applies the activation to the gate in f64, rounds to f32 as the device does, and multiplies by up. */
export function gatedActivationReference(problem: GatedActivationProblem, operands: OperandArrays): void {
  const { rows, inner, activation } = problem;
  const x = floatOperand(operands, 'x', rows * 2 * inner);
  const out = floatOperand(operands, 'out', rows * inner);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < inner; i++) {
      const gate = at(x, row * 2 * inner + i);
      const up = at(x, row * 2 * inner + inner + i);
      out[row * inner + i] = Math.fround(activate(activation, gate)) * up;
    }
  }
}
