import type { ConfigReader } from '../formats/huggingface/config_reader.ts';
import { UnsupportedError } from '../util/errors.ts';
import type { ScoreFunction } from './model_definition.ts';

/** The deepest models have some hundreds. A number that is nonsense must not fill the memory with names of layers. */
export const mostLayers = 10_000;

/**
 * How scores become probabilities. One label means a sigmoid, as several independent ones do: a softmax over one class is always 1.
 * @throws UnsupportedError for an unknown `problem_type`.
 */
export function scoreFunction(config: ConfigReader, numLabels: number): ScoreFunction {
  const type = config.optionalString('problem_type');
  switch (type) {
    case undefined:
    case 'single_label_classification':
      return numLabels === 1 ? 'sigmoid' : 'softmax';
    case 'multi_label_classification':
      return 'sigmoid';
    case 'regression':
      return 'none';
    default:
      throw new UnsupportedError('problem_type', `"${type}" is not known`);
  }
}
