import type { CheckpointSource } from '../io/checkpoint_files.ts';
import type { CallOptions } from './call_options.ts';
import type { TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';

/** A loaded token classifier. */
export interface Tagger extends Model {
  readonly labels: readonly string[];
  /**
   * Raw scores of each token that the attention mask marks real, in the order of the tokens, for every input. All inputs run as one batch;
   * each gets the bits that it would get alone.
   *
   * **Shapes** one array of [numTokens, labels] for each input.
   */
  tokenLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
}

/**
 * Loads a checkpoint with a token-classification head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadTagger(source: CheckpointSource, options: LoadOptions = {}): Promise<Tagger> {
  return new TokenTagger(await loadModel(source, 'tagger', options));
}

class TokenTagger extends ScoringModel implements Tagger {
  readonly labels: readonly string[];

  constructor(model: LoadedModel) {
    super(model);
    this.labels = model.definition.labels;
  }

  async tokenLogits(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<Float32Array[]> {
    return (await this.score(inputs, options)).map(({ scores }) => scores);
  }
}
