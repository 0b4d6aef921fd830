import type { CheckpointSource } from '../io/checkpoint_files.ts';
import type { ScoreFunction } from '../models/model_definition.ts';
import { must } from '../util/assert.ts';
import { ScoreError } from '../util/errors.ts';
import type { CallOptions } from './call_options.ts';
import { isBatch, type TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model, type ScoredInput } from './model.ts';

/** One class with its raw score and what that means as a probability. */
export interface ClassScore {
  readonly label: string;
  readonly logit: number;
  readonly probability: number;
}

/** What a classifier says of one input. */
export interface Classification {
  /** The class with the highest score. */
  readonly label: string;
  readonly labelIndex: number;
  /** Raw scores in class order: the bits as they came from the device. */
  readonly logits: Float32Array;
  /** Softmax over the classes, or one sigmoid each where the config says multi-label or there is one class. */
  readonly probabilities: Float32Array;
  /** The same by name, in class order. */
  readonly scores: readonly ClassScore[];
  /** The input's tokens as the vocabulary spells them; empty for ids without a tokenizer. */
  readonly tokens: readonly string[];
  readonly numTokens: number;
  /** Whether the text was longer than `maxTokens` and was cut. */
  readonly truncated: boolean;
}

/** A loaded sequence classifier. */
export interface Classifier extends Model {
  readonly labels: readonly string[];
  classify(input: TextOrIds, options?: CallOptions): Promise<Classification>;
  /** All inputs in one run. Each gets the bits that it would get alone. */
  classify(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Classification[]>;
}

/**
 * Loads a checkpoint with a sequence-classification head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadClassifier(
  source: CheckpointSource,
  options: LoadOptions = {},
): Promise<Classifier> {
  return new SequenceClassifier(await loadModel(source, 'classifier', options));
}

class SequenceClassifier extends ScoringModel implements Classifier {
  readonly labels: readonly string[];
  readonly #scoreFunction: ScoreFunction;

  constructor(model: LoadedModel) {
    super(model);
    this.labels = model.definition.labels;
    this.#scoreFunction = model.definition.scoreFunction;
  }

  classify(input: TextOrIds, options?: CallOptions): Promise<Classification>;
  classify(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Classification[]>;
  async classify(
    input: TextOrIds | readonly TextOrIds[],
    options: CallOptions = {},
  ): Promise<Classification | Classification[]> {
    const scored = await this.score(input, options);
    const classified = scored.map((one) => this.#classification(one));
    return isBatch(input) ? classified : must(classified[0], 'classification');
  }

  #classification({ input, scores }: ScoredInput): Classification {
    const probabilities = toProbabilities(scores, this.#scoreFunction);
    const labelIndex = indexOfLargest(scores);
    return {
      label: must(this.labels[labelIndex], 'label'),
      labelIndex,
      logits: scores,
      probabilities,
      scores: this.labels.map((label, index) => ({
        label,
        logit: must(scores[index], 'logit'),
        probability: must(probabilities[index], 'probability'),
      })),
      tokens: input.tokens,
      numTokens: input.ids.length,
      truncated: input.truncated,
    };
  }
}

/**
 * Index of the first largest score.
 * @throws ScoreError where one is no finite number: an answer chosen among such scores would look like any other.
 */
export function indexOfLargest(values: Float32Array): number {
  requireFinite(values);
  let best = 0;
  for (let index = 1; index < values.length; index++) {
    if (must(values[index], 'value') > must(values[best], 'value')) best = index;
  }
  return best;
}

/** @throws ScoreError for the first value that is no finite number. */
export function requireFinite(values: Float32Array): void {
  const nonFinite = values.findIndex((value) => !Number.isFinite(value));
  if (nonFinite >= 0) throw new ScoreError(nonFinite, must(values[nonFinite], 'value'));
}

/** Raw scores as probabilities; with `none` (a regression) they are passed on as they are. */
export function toProbabilities(logits: Float32Array, scoreFunction: ScoreFunction): Float32Array {
  switch (scoreFunction) {
    case 'none':
      return logits.slice();
    case 'sigmoid':
      return logits.map((logit) => 1 / (1 + Math.exp(-logit)));
    case 'softmax': {
      const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
      const powers = Float64Array.from(logits, (logit) => Math.exp(logit - largest));
      const sum = powers.reduce((a, b) => a + b, 0);
      return Float32Array.from(powers, (power) => power / sum);
    }
  }
}
