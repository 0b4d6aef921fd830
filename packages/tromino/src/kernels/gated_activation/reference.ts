import { unreachable } from '../../util/assert.ts';
import type { OperandArrays } from '../op.ts';
import { at, floatOperand } from '../operands.ts';
import type { Activation, GatedActivationProblem } from './contract.ts';

/** Applies the activation to the gate and multiplies by up, in f64. */
export function gatedActivationReference(problem: GatedActivationProblem, operands: OperandArrays): void {
  const { rows, inner, activation } = problem;
  const x = floatOperand(operands, 'x', rows * 2 * inner);
  const out = floatOperand(operands, 'out', rows * inner);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < inner; i++) {
      const gate = at(x, row * 2 * inner + i);
      const up = at(x, row * 2 * inner + inner + i);
      out[row * inner + i] = activate(activation, gate) * up;
    }
  }
}

/** The activation function itself, in f64. */
export function activate(activation: Activation, x: number): number {
  switch (activation) {
    case 'silu':
      return x / (1 + Math.exp(-x));
    case 'gelu':
      return x * normalDistribution(x);
    case 'gelu_tanh':
      return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
    case 'relu':
      return Math.max(x, 0);
    case 'relu_squared':
      return Math.max(x, 0) ** 2;
    default:
      return unreachable(activation);
  }
}

/** The probability that a standard normal variable is below x: (1 + erf(x / √2)) / 2. */
function normalDistribution(x: number): number {
  const tail = Math.abs(x) < 4 ? 0.5 - centralMass(Math.abs(x)) : upperTail(Math.abs(x));
  return x < 0 ? tail : 1 - tail;
}

/** The density of the standard normal distribution. */
function density(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** The mass between 0 and x: density times x + x³/3 + x⁵/(3·5) + …, all terms of one sign. */
function centralMass(x: number): number {
  let [term, sum] = [x, x];
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return density(x) * sum;
}

/** The mass above x, by Laplace's continued fraction density / (x + 1/(x + 2/(x + 3/…))), for x of 4 and more. */
function upperTail(x: number): number {
  let denominator = x;
  for (let i = 60; i > 0; i--) denominator = x + i / denominator;
  return density(x) / denominator;
}
