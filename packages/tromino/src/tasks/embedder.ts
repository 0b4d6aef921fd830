import type { CheckpointSource } from '../io/checkpoint_files.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { optionNames } from '../util/option_names.ts';
import type { CallOptions } from './call_options.ts';
import { requireFinite } from './classifier.ts';
import { isBatch, type TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';
import { inBatches, requireBooleanOption } from './text_calls.ts';

/** How the hidden states of a row become one vector: their mean, or the state of the first or the last token. */
export type Pooling = 'mean' | 'cls' | 'lastToken';

/** How texts become vectors. What a call leaves out is as the checkpoint was trained, where it says so. */
export interface EmbedOptions extends CallOptions {
  /** Default: what `modules.json` says, else `mean`. */
  readonly pooling?: Pooling;
  /** Whether vectors get the length 1, so that a dot product is a cosine. Default: what `modules.json` says, else false. */
  readonly normalize?: boolean;
}

/** A loaded encoder that gives hidden states. */
export interface Embedder extends Model {
  /** Elements of a vector. */
  readonly hiddenSize: number;
  /** A vector for the text. What is longer than `maxTokens` is cut. */
  embed(input: TextOrIds, options?: EmbedOptions): Promise<Float32Array>;
  /** A vector for each input. Each gets the bits that it would get alone. */
  embed(inputs: readonly TextOrIds[], options?: EmbedOptions): Promise<Float32Array[]>;
  /**
   * The last hidden state of each token that the attention mask marks real, for every input. All inputs run as one batch; each gets the bits
   * that it would get alone. They are unchecked, as the device computed them.
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

const embedOptionNames = optionNames<EmbedOptions>({ signal: true, pooling: true, normalize: true });

const outputByPooling: Readonly<Record<Pooling, string>> = {
  mean: 'mean_pooled',
  cls: 'first_token',
  lastToken: 'last_token',
};

class EncoderEmbedder extends ScoringModel implements Embedder {
  readonly hiddenSize: number;
  readonly #sentence: LoadedModel['sentence'];

  constructor(model: LoadedModel) {
    super(model);
    this.#sentence = model.sentence;
    this.hiddenSize = must(model.definition.outputs[0].width, 'hidden size');
  }

  embed(input: TextOrIds, options?: EmbedOptions): Promise<Float32Array>;
  embed(inputs: readonly TextOrIds[], options?: EmbedOptions): Promise<Float32Array[]>;
  async embed(
    input: TextOrIds | readonly TextOrIds[],
    options: EmbedOptions = {},
  ): Promise<Float32Array | Float32Array[]> {
    this.checkCall(options, embedOptionNames);
    const { pooling = this.#sentence?.pooling ?? 'mean' } = options;
    const { normalize = this.#sentence?.normalize ?? false } = options;
    requireBooleanOption('normalize', normalize);
    const output = outputOf(pooling);
    const vectors: Float32Array[] = [];
    for (const batch of inBatches(this.rows(input)))
      vectors.push(...(await this.run(batch, options, { output })));
    // No distance to a vector with an element that is no finite number means anything.
    vectors.forEach(requireFinite);
    const embedded = normalize ? vectors.map(normalized) : vectors;
    return isBatch(input) ? embedded : must(embedded[0], 'vector');
  }

  async hiddenStates(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<Float32Array[]> {
    return (await this.score(inputs, options, 'last_hidden_state')).map(({ scores }) => scores);
  }

  async pooled(
    inputs: readonly TextOrIds[],
    pooling: Pooling,
    options: CallOptions = {},
  ): Promise<Float32Array[]> {
    return (await this.score(inputs, options, outputOf(pooling))).map(({ scores }) => scores);
  }
}

/** Callers without types may pass anything. */
function outputOf(pooling: Pooling): string {
  if (Object.hasOwn(outputByPooling, pooling)) return outputByPooling[pooling];
  throw new OptionError('pooling', `one of ${Object.keys(outputByPooling).join(', ')}`, describe(pooling));
}

/** Keeps a vector of zeros as it is. */
function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
