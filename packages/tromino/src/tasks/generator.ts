import type { CheckpointSource } from '../io/checkpoint_files.ts';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import { optionNames } from '../util/option_names.ts';
import { indexOfLargest } from './classifier.ts';
import { checkCallback, type CallOptions } from './call_options.ts';
import { isBatch, tokenizeInput, withoutPadding, type TextOrIds } from './inputs.ts';
import { loadModel, type LoadedModel, type LoadOptions } from './load_model.ts';
import { ScoringModel, type Model } from './model.ts';

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
  /** Raw scores of the token that would come next, one for each token of the vocabulary; unchecked, as the device computed them. */
  lastLogits(input: TextOrIds, options?: CallOptions): Promise<Float32Array>;
  lastLogits(inputs: readonly TextOrIds[], options?: CallOptions): Promise<Float32Array[]>;
  /** Continues a text with the most likely token each time. Every token is a full run over the text so far. */
  generate(input: TextOrIds, options?: GenerateOptions): Promise<Generation>;
}

const defaultNewTokens = 64;

const generateOptionNames = optionNames<GenerateOptions>({
  signal: true,
  maxNewTokens: true,
  stopTokens: true,
  onToken: true,
});

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
    this.checkCall(options, generateOptionNames);
    checkGenerateOptions(options);
    const { maxNewTokens = defaultNewTokens, stopTokens = this.#stopTokens, onToken, signal } = options;
    const context = withoutPadding(
      tokenizeInput(input, 'input', this.tokenizer, { maxTokens: this.maxTokens, numTypes: 0 }),
    );
    const ids: number[] = [];
    const textSoFar = this.#continuationOf([...context.ids]);
    const ended = (stopReason: Generation['stopReason']): Generation => ({
      ids,
      text: textSoFar(ids),
      stopReason,
    });
    while (ids.length < maxNewTokens) {
      if (context.ids.length > this.maxTokens) return ended('context');
      const next = indexOfLargest(await this.lastLogits(context, { signal }));
      if (stopTokens.includes(next)) return ended('stop');
      ids.push(next);
      context.ids.push(next);
      context.attentionMask.push(1);
      onToken?.(next, textSoFar(ids));
    }
    return ended('length');
  }

  /**
   * Decodes new tokens as what they add to the prompt's text: alone they would lose a leading space, which many tokenizers take off the
   * beginning of a text.
   */
  #continuationOf(prompt: readonly number[]): (ids: readonly number[]) => string {
    const before = this.#text(prompt);
    return (ids) => {
      const whole = this.#text([...prompt, ...ids]);
      return whole.startsWith(before) ? whole.slice(before.length) : this.#text(ids);
    };
  }

  #text(ids: readonly number[]): string {
    const { tokenizer } = this;
    // Vocabularies are often rounded up: a model can give ids beyond its tokenizer's, which have no text.
    const known = ids.filter((id) => tokenizer?.idToToken(id) !== undefined);
    return tokenizer?.decode(known, { skipSpecialTokens: true }) ?? '';
  }
}

/** Callers without types may pass anything. */
function checkGenerateOptions({ maxNewTokens, stopTokens, onToken }: GenerateOptions): void {
  if (maxNewTokens !== undefined && (!Number.isInteger(maxNewTokens) || maxNewTokens < 0)) {
    throw new OptionError('maxNewTokens', 'an integer from 0', describe(maxNewTokens));
  }
  const areIds =
    Array.isArray(stopTokens) && Array.from(stopTokens).every((id) => Number.isInteger(id) && id >= 0);
  if (stopTokens !== undefined && !areIds)
    throw new OptionError('stopTokens', 'a list of token ids', describe(stopTokens));
  checkCallback('onToken', onToken);
}
