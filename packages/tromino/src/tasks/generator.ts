import type { CheckpointSource } from '../io/checkpoint_files.ts';
import { must } from '../util/assert.ts';
import { OptionError } from '../util/errors.ts';
import { indexOfLargest } from './classifier.ts';
import { isBatch, tokenizeInput, type TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type CallOptions, type Model } from './model.ts';

/** How a text is continued. */
export interface GenerateOptions extends CallOptions {
  /** Default 64. */
  readonly maxNewTokens?: number;
  /** Tokens at which to end, which are not part of the result. Default: the config's `eos_token_id`; `[]` for none. */
  readonly stopTokens?: readonly number[];
  /** Hears of each new token as it comes, with the text so far. What it throws ends the generation and rejects it. */
  readonly onToken?: (id: number, textSoFar: string) => void;
}

/** A continued text. */
export interface Generation {
  /** The new tokens alone. */
  readonly ids: readonly number[];
  /** Their text; empty without a tokenizer. */
  readonly text: string;
  /** `context`: the model's positions ran out. */
  readonly stopReason: 'length' | 'stop' | 'context';
}

/** A loaded causal language model. */
export interface Generator extends Model {
  /** Raw scores of the token that would come next, one for each token of the vocabulary. */
  lastLogits(input: TextOrIds, options?: CallOptions): Promise<Float32Array>;
  lastLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
  /** Continues a text with the most likely token each time. Every token is a full run over the text so far. */
  generate(input: TextOrIds, options?: GenerateOptions): Promise<Generation>;
}

const defaultNewTokens = 64;

/**
 * Loads a checkpoint with a causal-LM head.
 * @throws a TrominoError naming what is wrong with the checkpoint, or the signal's reason.
 */
export async function loadGenerator(source: CheckpointSource, options: LoadOptions = {}): Promise<Generator> {
  return new CausalGenerator(await loadModel(source, 'generator', options));
}

class CausalGenerator extends ScoringModel implements Generator {
  readonly #stopTokens: readonly number[];

  constructor(model: LoadedModel) {
    super(model);
    this.#stopTokens = model.definition.stopTokens;
  }

  lastLogits(input: TextOrIds, options?: CallOptions): Promise<Float32Array>;
  lastLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
  async lastLogits(
    input: TextOrIds | readonly TextOrIds[],
    options: CallOptions = {},
  ): Promise<Float32Array | Float32Array[]> {
    const logits = (await this.score(input, options)).map(({ scores }) => scores);
    return isBatch(input) ? logits : must(logits[0], 'logits');
  }

  async generate(input: TextOrIds, options: GenerateOptions = {}): Promise<Generation> {
    const { maxNewTokens = defaultNewTokens, stopTokens = this.#stopTokens, onToken, signal } = options;
    if (!Number.isInteger(maxNewTokens) || maxNewTokens < 0) {
      throw new OptionError('maxNewTokens', 'an integer from 0', String(maxNewTokens));
    }
    const prompt = tokenizeInput(input, 'input', this.tokenizer, this.maxTokens);
    const mask = prompt.attentionMask;
    const context = Array.from(prompt.ids).filter((_, place) => !mask || mask[place] === 1);
    const ids: number[] = [];
    while (ids.length < maxNewTokens) {
      if (context.length > this.maxTokens) return this.#generation(ids, 'context');
      const next = indexOfLargest(await this.lastLogits(context, { signal }));
      if (stopTokens.includes(next)) return this.#generation(ids, 'stop');
      ids.push(next);
      context.push(next);
      onToken?.(next, this.#text(ids));
    }
    return this.#generation(ids, 'length');
  }

  #generation(ids: readonly number[], stopReason: Generation['stopReason']): Generation {
    return { ids, text: this.#text(ids), stopReason };
  }

  #text(ids: readonly number[]): string {
    return this.tokenizer?.decode(ids, { skipSpecialTokens: true }) ?? '';
  }
}
