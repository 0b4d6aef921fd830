import type { Tokenizer as TokenizerLibrary } from '@huggingface/tokenizers';
import { FormatError, OptionError } from '../util/errors.ts';
import { optionNames, requireKnownOptions } from '../util/option_names.ts';
import type { TextPart } from './added_tokens.ts';
import { AlignedText, type Span } from './aligned_text.ts';
import type { PreTokenize } from './pre_tokenizers.ts';
import type { FindCut } from './safe_cuts.ts';
import { bareFrame, type Frame, type Frames } from './special_tokens.ts';
import type { CutWord } from './subwords.ts';
import type {
  DecodeOptions,
  EncodeOptions,
  Encoding,
  Tokenizer,
  WindowEncoding,
  WindowOptions,
} from './tokenizer.ts';
import { windowsOf } from './windows.ts';
import type { TrimSpans } from './trim_offsets.ts';

/** What a text goes through, in order; normalisation is part of the first step. */
export interface TokenizerSteps {
  readonly splitAdded: (text: AlignedText) => readonly TextPart[];
  /** The same, for a text that holds no special tokens, whatever it spells. */
  readonly splitAddedWords: (text: AlignedText) => readonly TextPart[];
  readonly preTokenize: PreTokenize;
  readonly cutWord: CutWord;
  readonly trimSpans: TrimSpans;
  readonly frames: Frames;
  /** Undefined where no text may be cut before it is whole. */
  readonly findCut: FindCut | undefined;
}

/** A text's tokens before special ones are added. */
interface TextTokens {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly spans: readonly Span[];
}

/** Units of a text that are read at first for each token that is wanted: more than most texts need. */
const unitsPerToken = 16;

const encodeOptionNames = optionNames<EncodeOptions>({
  maxTokens: true,
  pair: true,
  addSpecialTokens: true,
  splitSpecialTokens: true,
});
const windowOptionNames = optionNames<WindowOptions>({ maxTokens: true, overlap: true, question: true });
const decodeOptionNames = optionNames<DecodeOptions>({ skipSpecialTokens: true });

const noTokens: TextTokens = { ids: [], tokens: [], spans: [] };

/**
 * A tokenizer that knows where in the text each token came from: ids and spans are made by the same steps, so one cannot be right and the
 * other wrong.
 */
export class PipelineTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly #file: string;
  readonly #library: TokenizerLibrary;
  readonly #steps: TokenizerSteps;
  /** The last text, since many questions may be asked about one. */
  #last: { readonly text: string; readonly tokens: TextTokens } | undefined;

  /** @throws FormatError for a frame with a token that is not in the vocabulary. */
  constructor(file: string, library: TokenizerLibrary, steps: TokenizerSteps) {
    this.#file = file;
    this.#library = library;
    this.#steps = steps;
    this.vocabularySize = library.model?.vocab.length ?? 0;
    for (const item of steps.frames.pair) if (item.kind === 'special') this.#specialId(item.token);
  }

  encode(text: string, options: EncodeOptions = {}): Encoding {
    requireKnownOptions(options, encodeOptionNames);
    const { frames } = this.#steps;
    const fullFrame = options.pair === undefined ? frames.single : frames.pair;
    const frame = (options.addSpecialTokens ?? true) ? fullFrame : bareFrame(fullFrame);
    const { splitSpecialTokens = false } = options;
    // Which text of a pair is cut depends on how long both are.
    const most = options.pair === undefined ? options.maxTokens : undefined;
    const whole = {
      text: this.#tokenizeStart(text, splitSpecialTokens, most),
      pair: options.pair === undefined ? noTokens : this.#tokenize(options.pair, splitSpecialTokens),
    };
    const lengths = fitLengths(frame, whole.text.ids.length, whole.pair.ids.length, options.maxTokens);
    const kept = { text: cut(whole.text, 0, lengths.text), pair: cut(whole.pair, 0, lengths.pair) };
    const truncated = lengths.text < whole.text.ids.length || lengths.pair < whole.pair.ids.length;
    return this.#assemble(frame, kept, truncated);
  }

  encodeWindows(text: string, options: WindowOptions): WindowEncoding[] {
    requireKnownOptions(options, windowOptionNames);
    const { maxTokens, overlap, question } = options;
    const frame = question === undefined ? this.#steps.frames.single : this.#steps.frames.pair;
    const before = question === undefined ? noTokens : this.#tokenize(question);
    const whole = this.#tokenizeRemembered(text);
    const room = maxTokens - numSpecial(frame) - before.ids.length;
    if (room < 1) {
      const most = Math.max(0, maxTokens - numSpecial(frame) - 1);
      throw question === undefined
        ? new OptionError('maxTokens', 'room for the text beside the special tokens', String(maxTokens))
        : new OptionError('question', `at most ${most} tokens`, String(before.ids.length));
    }
    return windowsOf(whole.ids.length, room, overlap).map(({ start, end }) => {
      const part = cut(whole, start, end);
      const kept = question === undefined ? { text: part, pair: noTokens } : { text: before, pair: part };
      return { ...this.#assemble(frame, kept, false), firstToken: start };
    });
  }

  decode(ids: readonly number[] | Uint32Array, options: DecodeOptions = {}): string {
    requireKnownOptions(options, decodeOptionNames);
    if (ids.length === 0) return '';
    for (const id of ids) {
      if (this.idToToken(id) === undefined) throw new OptionError('ids', `ids of ${this.#file}`, String(id));
    }
    const skip_special_tokens = options.skipSpecialTokens ?? false;
    try {
      return this.#library.decode(Array.from(ids), { skip_special_tokens });
    } catch (error) {
      throw new FormatError(this.#file, `decoder: the library cannot decode with it: ${String(error)}`);
    }
  }

  tokenToId(token: string): number | undefined {
    return this.#library.token_to_id(token);
  }

  idToToken(id: number): string | undefined {
    return this.#library.id_to_token(id);
  }

  #assemble(
    frame: Frame,
    kept: { readonly text: TextTokens; readonly pair: TextTokens },
    truncated: boolean,
  ): Encoding {
    const ids: number[] = [];
    const tokens: string[] = [];
    const typeIds: number[] = [];
    const spans: Span[] = [];
    const sequences: (0 | 1 | undefined)[] = [];
    for (const item of frame) {
      const isSpecial = item.kind === 'special';
      const added = isSpecial ? this.#special(item.token) : kept[item.kind];
      const sequence = isSpecial ? undefined : item.kind === 'text' ? 0 : 1;
      added.ids.forEach((id, i) => {
        ids.push(id);
        tokens.push(added.tokens[i] ?? '');
        typeIds.push(item.typeId);
        spans.push(added.spans[i] ?? [0, 0]);
        sequences.push(sequence);
      });
    }
    return { ids, tokens, typeIds, spans, sequences, truncated };
  }

  #tokenizeRemembered(text: string): TextTokens {
    if (this.#last?.text !== text) this.#last = { text, tokens: this.#tokenize(text) };
    return this.#last.tokens;
  }

  /** A text's tokens, of which only those up to the `most`th and one more need be there: a long text is not read to its end. */
  #tokenizeStart(text: string, splitSpecialTokens: boolean, most = Infinity): TextTokens {
    const { findCut } = this.#steps;
    for (let length = Math.max(most, 1) * unitsPerToken; findCut && length < text.length; length *= 4) {
      const start = text.slice(0, findCut(text, length) ?? text.length);
      if (start.length === text.length) break;
      const tokens = this.#tokenize(start, splitSpecialTokens);
      if (tokens.ids.length > most) return tokens;
    }
    return this.#tokenize(text, splitSpecialTokens);
  }

  #tokenize(text: string, splitSpecialTokens = false): TextTokens {
    const { splitAdded, splitAddedWords, preTokenize, cutWord, trimSpans } = this.#steps;
    const split = splitSpecialTokens ? splitAddedWords : splitAdded;
    const ids: number[] = [];
    const found: string[] = [];
    const spans: Span[] = [];
    for (const part of split(AlignedText.of(text))) {
      if (part.added) {
        ids.push(part.added.id);
        // As it was found, with the white space that it took.
        found.push(part.text.text);
        spans.push(part.text.originalSpan(0, part.text.text.length));
        continue;
      }
      for (const word of preTokenize([part.text])) {
        for (const { id, start, end } of cutWord(word.text)) {
          ids.push(id);
          found.push(this.idToToken(id) ?? '');
          spans.push(word.originalSpan(start, end));
        }
      }
    }
    const tokens = ids.map((id) => this.idToToken(id) ?? '');
    return { ids, tokens, spans: trimSpans(text, found, spans) };
  }

  #special(token: string): TextTokens {
    return { ids: [this.#specialId(token)], tokens: [token], spans: [[0, 0]] };
  }

  #specialId(token: string): number {
    const id = this.tokenToId(token);
    if (id !== undefined) return id;
    throw new FormatError(this.#file, `post_processor: expected a token of the vocabulary, found ${token}`);
  }
}

function numSpecial(frame: Frame): number {
  return frame.filter(({ kind }) => kind === 'special').length;
}

/**
 * How many tokens of each text fit: the longer one is cut first, and when both are cut an odd last place is the longer one's.
 *
 * **Source** https://github.com/huggingface/tokenizers, tokenizers/src/utils/truncation.rs, `LongestFirst`.
 */
function fitLengths(
  frame: Frame,
  text: number,
  pair: number,
  maxTokens: number | undefined,
): { readonly text: number; readonly pair: number } {
  if (maxTokens === undefined) return { text, pair };
  const room = maxTokens - numSpecial(frame);
  if (!Number.isSafeInteger(maxTokens) || room < 0) {
    const expected = `a whole number, at least the ${maxTokens - room} special tokens`;
    throw new OptionError('maxTokens', expected, String(maxTokens));
  }
  if (text + pair <= room) return { text, pair };
  const shorter = Math.min(text, pair, Math.floor(room / 2));
  return text <= pair ? { text: shorter, pair: room - shorter } : { text: room - shorter, pair: shorter };
}

function cut({ ids, tokens, spans }: TextTokens, start: number, end: number): TextTokens {
  return { ids: ids.slice(start, end), tokens: tokens.slice(start, end), spans: spans.slice(start, end) };
}
