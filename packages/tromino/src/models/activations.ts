import { UnsupportedError } from '../util/errors.ts';

/** Activations by the names of the kernels that compute them. */
export type ActivationName = 'silu' | 'gelu' | 'gelu_tanh' | 'relu' | 'relu_squared' | 'tanh';

// transformers, activations.py, ACT2FN: several names stand for one function.
const byConfigName: Readonly<Record<string, ActivationName>> = {
  silu: 'silu',
  swish: 'silu',
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu_tanh',
  gelu_pytorch_tanh: 'gelu_tanh',
  gelu_fast: 'gelu_tanh',
  gelu_accurate: 'gelu_tanh',
  relu: 'relu',
  relu2: 'relu_squared',
  tanh: 'tanh',
};

/** @throws UnsupportedError naming the config field and every name that is known. */
export function activationFromConfig(field: string, name: string): ActivationName {
  const activation = Object.hasOwn(byConfigName, name) ? byConfigName[name] : undefined;
  if (activation) return activation;
  throw new UnsupportedError(field, `activation "${name}" is not known; known are ${Object.keys(byConfigName).join(', ')}`);
}
