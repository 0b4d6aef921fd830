import type { CheckpointSource } from '../io/checkpoint_files.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import type { CallOptions } from './call_options.ts';
import type { TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';

/** How the hidden states of a row become one vector: their mean, or the state of the first or the last token. */
export type Pooling = 'mean' | 'cls' | 'lastToken';

/** A loaded encoder that gives hidden states. */
export interface Embedder extends Model {
  /** Elements of a vector. */
  readonly hiddenSize: number;
  /**
   * The last hidden state of each token that the attention mask marks real, for every input. All inputs run as one batch; each gets the bits
   * that it would get alone.
   *
   * **Shapes** one array of [numTokens, hiddenSize] for each input.
   */
  hiddenStates(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
  /** One vector for each input, not normalised. Pooling is done on the device, so that only these vectors are read back. */
  pooled(inputs: readonly TextOrIds[], pooling: Pooling, options?: CallOptions): Promise<Float32Array[]>;
}

/**
 * Loads an encoder, whatever head it has.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadEmbedder(source: CheckpointSource, options: LoadOptions = {}): Promise<Embedder> {
  return new EncoderEmbedder(await loadModel(source, 'embedder', options));
}

const outputByPooling: Readonly<Record<Pooling, string>> = {
  mean: 'mean_pooled',
  cls: 'first_token',
  lastToken: 'last_token',
};

class EncoderEmbedder extends ScoringModel implements Embedder {
  readonly hiddenSize: number;

  constructor(model: LoadedModel) {
    super(model);
    this.hiddenSize = must(model.definition.outputs[0].width, 'hidden size');
  }

  async hiddenStates(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<Float32Array[]> {
    return (await this.score(inputs, options, 'last_hidden_state')).map(({ scores }) => scores);
  }

  async pooled(
    inputs: readonly TextOrIds[],
    pooling: Pooling,
    options: CallOptions = {},
  ): Promise<Float32Array[]> {
    // Callers without types may pass anything.
    if (!Object.hasOwn(outputByPooling, pooling)) {
      const known = Object.keys(outputByPooling).join(', ');
      throw new OptionError('pooling', `one of ${known}`, describe(pooling));
    }
    return (await this.score(inputs, options, outputByPooling[pooling])).map(({ scores }) => scores);
  }
}
