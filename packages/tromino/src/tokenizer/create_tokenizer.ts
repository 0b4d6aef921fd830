import type { Tokenizer as TokenizerLibrary } from '@huggingface/tokenizers';
import { FormatError, OptionError, UnsupportedError } from '../util/errors.ts';
import { bareFrame, specialTokenFrame } from './special_tokens.ts';
import type { Frame, FrameItem } from './special_tokens.ts';
import type { EncodeOptions, Encoding, Tokenizer } from './tokenizer.ts';

/** What `tokenizer_config.json` adds to `tokenizer.json`. */
export interface TokenizerSettings {
  readonly unknownToken?: string | undefined;
  readonly endToken?: string | undefined;
  /** Tokens that count as special although `tokenizer.json` does not say so. */
  readonly extraSpecialTokens?: readonly string[];
  /** Whether decoding drops the spaces before punctuation. Default false, as the native library decodes. */
  readonly cleanUpSpaces?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Builds a tokenizer from the contents of a `tokenizer.json`. The tokenizing library is loaded only now, so that a model fed with ids
 * never loads it.
 *
 * @param file name for messages
 * @throws FormatError when the definition is no tokenizer's.
 * @throws UnsupportedError for a kind of tokenizer that is not known.
 */
export async function createTokenizer(
  file: string,
  definition: Fields,
  settings: TokenizerSettings = {},
): Promise<Tokenizer> {
  const model = parseModel(file, definition.model);
  const library = await import('@huggingface/tokenizers');
  // Absent parts are as good as null ones; the library insists on null.
  const absent = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    added_tokens: [],
  };
  const config = {
    unk_token: model.unk_token ?? settings.unknownToken,
    eos_token: settings.endToken,
    additional_special_tokens: settings.extraSpecialTokens ?? [],
    clean_up_tokenization_spaces: settings.cleanUpSpaces ?? false,
  };
  try {
    return new LibraryTokenizer(file, new library.Tokenizer({ ...absent, ...definition, model }, config));
  } catch (error) {
    throw new FormatError(file, `expected a tokenizer, found what the library refuses: ${String(error)}`);
  }
}

const modelTypes = ['BPE', 'WordPiece', 'Unigram', 'WordLevel'];

function parseModel(file: string, model: unknown): Fields {
  if (!isFields(model))
    throw new FormatError(file, `expected a tokenizer model, found ${JSON.stringify(model)}`);
  // Files of early versions leave the type out; the library knows it by the fields.
  if (model.type !== undefined && !(typeof model.type === 'string' && modelTypes.includes(model.type))) {
    const known = modelTypes.join(', ');
    throw new UnsupportedError(
      `${file}, tokenizer model ${JSON.stringify(model.type)}`,
      `only ${known} are known`,
    );
  }
  requireVocabulary(file, model.vocab);
  return model;
}

function requireVocabulary(file: string, vocabulary: unknown): void {
  if (Array.isArray(vocabulary) && vocabulary.length > 0) {
    if (vocabulary.every((item) => Array.isArray(item) && typeof item[0] === 'string')) return;
    throw new FormatError(file, 'model.vocab: expected pairs of token and score, found others');
  }
  if (!isFields(vocabulary))
    throw new FormatError(file, `model.vocab: expected tokens, found ${typeof vocabulary}`);
  for (const [token, id] of Object.entries(vocabulary)) {
    if (Number.isSafeInteger(id) && (id as number) >= 0) continue;
    throw new FormatError(
      file,
      `model.vocab: expected an id for ${JSON.stringify(token)}, found ${JSON.stringify(id)}`,
    );
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text's tokens before special ones are added. */
interface TextTokens {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
}

const noTokens: TextTokens = { ids: [], tokens: [] };

class LibraryTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly #file: string;
  readonly #library: TokenizerLibrary;
  readonly #singleFrame: Frame;
  readonly #pairFrame: Frame;

  constructor(file: string, library: TokenizerLibrary) {
    this.#file = file;
    this.#library = library;
    this.vocabularySize = library.model?.vocab.length ?? 0;
    this.#singleFrame = specialTokenFrame(library.post_processor, false);
    this.#pairFrame = specialTokenFrame(library.post_processor, true);
    for (const item of this.#pairFrame) if (item.kind === 'special') this.#specialId(item.token);
  }

  encode(text: string, options: EncodeOptions = {}): Encoding {
    const fullFrame = options.pair === undefined ? this.#singleFrame : this.#pairFrame;
    const frame = (options.addSpecialTokens ?? true) ? fullFrame : bareFrame(fullFrame);
    const whole = {
      text: this.#textTokens(text),
      pair: options.pair === undefined ? noTokens : this.#textTokens(options.pair),
    };
    const lengths = fitLengths(frame, whole.text.ids.length, whole.pair.ids.length, options.maxTokens);
    const kept = { text: cut(whole.text, lengths.text), pair: cut(whole.pair, lengths.pair) };
    return {
      ids: frame.flatMap((item) =>
        item.kind === 'special' ? [this.#specialId(item.token)] : kept[item.kind].ids,
      ),
      tokens: frame.flatMap((item) => (item.kind === 'special' ? [item.token] : kept[item.kind].tokens)),
      typeIds: frame.flatMap((item) => {
        const count = item.kind === 'special' ? 1 : kept[item.kind].ids.length;
        return new Array<number>(count).fill(item.typeId);
      }),
      truncated: lengths.text < whole.text.ids.length || lengths.pair < whole.pair.ids.length,
    };
  }

  decode(
    ids: readonly number[] | Uint32Array,
    options: { readonly skipSpecialTokens?: boolean } = {},
  ): string {
    if (ids.length === 0) return '';
    for (const id of ids) {
      if (this.idToToken(id) === undefined) throw new OptionError('ids', `ids of ${this.#file}`, String(id));
    }
    return this.#library.decode(Array.from(ids), { skip_special_tokens: options.skipSpecialTokens ?? false });
  }

  tokenToId(token: string): number | undefined {
    return this.#library.token_to_id(token);
  }

  idToToken(id: number): string | undefined {
    return this.#library.id_to_token(id);
  }

  #textTokens(text: string): TextTokens {
    if (text === '') return noTokens;
    const { ids, tokens } = this.#library.encode(text, { add_special_tokens: false });
    const unknown = (ids as readonly (number | undefined)[]).indexOf(undefined);
    // The library shows text that it did not know by itself; its token is the one that stands for it.
    if (unknown < 0) return { ids, tokens: ids.map((id) => this.idToToken(id) ?? '') };
    const token = JSON.stringify(tokens[unknown]);
    throw new FormatError(this.#file, `expected a token for unknown text, found none to stand for ${token}`);
  }

  #specialId(token: string): number {
    const id = this.tokenToId(token);
    if (id !== undefined) return id;
    throw new FormatError(this.#file, `post_processor: expected a token of the vocabulary, found ${token}`);
  }
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
  const room = maxTokens - frame.filter((item: FrameItem) => item.kind === 'special').length;
  if (!Number.isSafeInteger(maxTokens) || room < 0) {
    const expected = `a whole number, at least the ${maxTokens - room} special tokens`;
    throw new OptionError('maxTokens', expected, String(maxTokens));
  }
  if (text + pair <= room) return { text, pair };
  const shorter = Math.min(text, pair, Math.floor(room / 2));
  return text <= pair ? { text: shorter, pair: room - shorter } : { text: room - shorter, pair: shorter };
}

function cut({ ids, tokens }: TextTokens, length: number): TextTokens {
  return { ids: ids.slice(0, length), tokens: tokens.slice(0, length) };
}
