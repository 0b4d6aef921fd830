import type { Span } from './aligned_text.ts';

/** A text as token ids, with the special tokens its model wants. */
export interface Encoding {
  readonly ids: readonly number[];
  /** The vocabulary's spelling of each id. */
  readonly tokens: readonly string[];
  /** 0 for the text, 1 for its pair; special tokens as the tokenizer says. */
  readonly typeIds: readonly number[];
  /** Where in its text each token stands; special tokens have [0, 0]. */
  readonly spans: readonly Span[];
  /** Which text each token is of: 0 the text, 1 its pair, undefined for special tokens. */
  readonly sequences: readonly (0 | 1 | undefined)[];
  /** Whether text tokens were dropped to keep within `maxTokens`. */
  readonly truncated: boolean;
}

/** How a text becomes tokens. */
export interface EncodeOptions {
  /** Most tokens the encoding may have, special ones included. The text is cut, never the special tokens around it. */
  readonly maxTokens?: number;
  /** A second text: the context of a question, the other sentence of a pair. */
  readonly pair?: string;
  /** Whether to add the special tokens that the model was trained with. Default true. */
  readonly addSpecialTokens?: boolean;
  /**
   * Whether the spelling of a special token in the text is text like any other. Default false: it becomes that token, as in the native
   * library.
   */
  readonly splitSpecialTokens?: boolean;
}

/** One of several parts of a long text. */
export interface WindowEncoding extends Encoding {
  /** Which token of the whole text is its first. */
  readonly firstToken: number;
}

/** How a long text becomes several encodings. */
export interface WindowOptions {
  /** Most tokens that one window may have, special ones included. */
  readonly maxTokens: number;
  /** Tokens of the text that two neighbours share; at most half of what a window holds of it. */
  readonly overlap: number;
  /** A text that stands whole before each window's part, which is then the encoding's pair. */
  readonly question?: string;
}

/** How ids become a text. */
export interface DecodeOptions {
  /** Whether special tokens are left out. Default false. */
  readonly skipSpecialTokens?: boolean;
}

/** Text to token ids and back, as the checkpoint's tokenizer does it. */
export interface Tokenizer {
  /** Ids the tokenizer can give: its vocabulary and the tokens added to it. */
  readonly vocabularySize: number;
  /** @throws OptionError when `maxTokens` leaves no room for the special tokens. */
  encode(text: string, options?: EncodeOptions): Encoding;
  /**
   * A text as windows that overlap, so that nothing is cut off and what lies at one's edge is well inside another. Spans are places in the
   * whole text.
   * @throws OptionError when a question and the special tokens leave no room.
   */
  encodeWindows(text: string, options: WindowOptions): WindowEncoding[];
  /** @throws OptionError for an id that the tokenizer does not know. */
  decode(ids: readonly number[] | Uint32Array, options?: DecodeOptions): string;
  tokenToId(token: string): number | undefined;
  idToToken(id: number): string | undefined;
}
