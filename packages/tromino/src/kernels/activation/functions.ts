import { unreachable } from '../../util/assert.ts';

/** The activation functions that kernels know. `gelu` is the exact one, by erf; `gelu_tanh` its approximation. */
export const activations = ['silu', 'gelu', 'gelu_tanh', 'relu', 'relu_squared', 'tanh'] as const;

/** One of `activations`. */
export type Activation = (typeof activations)[number];

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
    case 'tanh':
      return Math.tanh(x);
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
