import type { CheckpointSource } from '../io/checkpoint_files.ts';
import type { CallOptions } from './call_options.ts';
import type { TextOrIds } from './inputs.ts';
import { loadModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';

/** Raw scores of where an answer begins and ends, one for each token that the attention mask marks real. */
export interface SpanLogits {
  readonly start: Float32Array;
  readonly end: Float32Array;
}

/** A loaded model that finds answers in a text. */
export interface Extractor extends Model {
  /** Raw scores of each input's tokens. All inputs run as one batch; each gets the bits that it would get alone. */
  spanLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<SpanLogits[]>;
}

/**
 * Loads a checkpoint with a question-answering head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadExtractor(source: CheckpointSource, options: LoadOptions = {}): Promise<Extractor> {
  return new SpanExtractor(await loadModel(source, 'extractor', options));
}

class SpanExtractor extends ScoringModel implements Extractor {
  async spanLogits(inputs: readonly TextOrIds[], options: CallOptions = {}): Promise<SpanLogits[]> {
    return (await this.score(inputs, options, 'logits')).map(({ scores }) => ({
      start: scores.filter((_, i) => i % 2 === 0),
      end: scores.filter((_, i) => i % 2 === 1),
    }));
  }
}
