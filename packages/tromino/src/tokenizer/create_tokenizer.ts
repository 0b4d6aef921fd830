import type * as Library from '@huggingface/tokenizers';
import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { FormatError, TrominoError, UnsupportedError } from '../util/errors.ts';
import { createAddedTokenSplitter, readAddedTokens } from './added_tokens.ts';
import { isFields, type Fields } from './definition.ts';
import { createNormalizer } from './normalizers.ts';
import { createPreTokenizer } from './pre_tokenizers.ts';
import { PipelineTokenizer } from './pipeline_tokenizer.ts';
import { createCutFinder } from './safe_cuts.ts';
import { specialTokenFrames } from './special_tokens.ts';
import { createSubwordModel } from './subwords.ts';
import { createSpanTrimmer } from './trim_offsets.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What `tokenizer_config.json` adds to `tokenizer.json`. */
export interface TokenizerSettings {
  readonly unknownToken?: string | undefined;
  readonly endToken?: string | undefined;
  /** Tokens that count as special although `tokenizer.json` does not say so. */
  readonly extraSpecialTokens?: readonly string[];
  /** Whether decoding drops the spaces before punctuation. Default false, as the native library decodes. */
  readonly cleanUpSpaces?: boolean;
}

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
  requireDecoder(file, definition.decoder);
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
    const { normalizer, pre_tokenizer, added_tokens, post_processor } = definition;
    // The library makes no text into tokens here, only words into pieces: it does not say where in a text they came from.
    const parts = { ...absent, ...definition, model, normalizer: null, pre_tokenizer: null };
    const built = new library.Tokenizer(parts, config);
    const context = {
      file,
      compilePattern: (expression: string) => compilePattern(library, expression),
    };
    const normalize = createNormalizer(context, normalizer);
    const added = readAddedTokens(context, added_tokens);
    const addedWords = added.filter(({ isSpecial }) => !isSpecial);
    return new PipelineTokenizer(file, built, {
      frames: specialTokenFrames(built.post_processor, post_processor),
      splitAdded: createAddedTokenSplitter(added, normalize),
      splitAddedWords: createAddedTokenSplitter(addedWords, normalize),
      preTokenize: createPreTokenizer(context, pre_tokenizer),
      cutWord: createSubwordModel(file, library, must(built.model, 'model'), model),
      trimSpans: createSpanTrimmer(context, post_processor),
      findCut: createCutFinder(definition, added),
    });
  } catch (error) {
    if (error instanceof TrominoError) throw error;
    throw new FormatError(file, `expected a tokenizer, found what the library refuses: ${String(error)}`);
  }
}

/** The library rewrites the dialect of regular expressions that `tokenizer.json` uses. */
function compilePattern(library: typeof Library, expression: string): RegExp {
  const pattern = { Regex: expression };
  const { pattern: compiled } = new library.SplitPreTokenizer({
    type: 'Split',
    pattern,
    behavior: 'Isolated',
    invert: false,
  });
  return must(compiled, 'pattern');
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
  if (Array.isArray(model.vocab)) requireUnknownPiece(file, model.unk_id, model.vocab.length);
  return model;
}

/** Only that decoders are objects: what is in them the library says. */
function requireDecoder(file: string, decoder: unknown, name = 'decoder'): void {
  if (decoder === undefined || decoder === null) return;
  if (!isFields(decoder))
    throw new FormatError(file, `${name}: expected an object, found ${describe(decoder)}`);
  if (decoder.type !== 'Sequence') return;
  if (!Array.isArray(decoder.decoders))
    throw new FormatError(file, `${name}.decoders: expected a list, found ${describe(decoder.decoders)}`);
  decoder.decoders.forEach((one: unknown, i) => {
    const path = `${name}.decoders[${i}]`;
    if (!isFields(one)) throw new FormatError(file, `${path}: expected an object, found ${describe(one)}`);
    requireDecoder(file, one, path);
  });
}

/** A piece for unknown characters, or none: then a text must not have any. */
function requireUnknownPiece(file: string, id: unknown, numPieces: number): void {
  if (id === undefined || id === null) return;
  if (Number.isInteger(id) && (id as number) >= 0 && (id as number) < numPieces) return;
  throw new FormatError(
    file,
    `model.unk_id: expected an id below ${numPieces}, or null, found ${describe(id)}`,
  );
}

function requireVocabulary(file: string, vocabulary: unknown): void {
  if (Array.isArray(vocabulary) && vocabulary.length > 0) {
    const isPair = (item: unknown): boolean =>
      Array.isArray(item) && typeof item[0] === 'string' && Number.isFinite(item[1]);
    if (vocabulary.every(isPair)) return;
    throw new FormatError(file, 'model.vocab: expected pairs of token and score, found others');
  }
  if (!isFields(vocabulary))
    throw new FormatError(file, `model.vocab: expected tokens, found ${typeof vocabulary}`);
  const tokenOf = new Map<unknown, string>();
  for (const [token, id] of Object.entries(vocabulary)) {
    const wrong = `model.vocab: expected an id for ${JSON.stringify(token)}, found ${JSON.stringify(id)}`;
    if (!Number.isSafeInteger(id) || (id as number) < 0) throw new FormatError(file, wrong);
    const other = tokenOf.get(id);
    if (other !== undefined)
      throw new FormatError(file, `${wrong}, which is that of ${JSON.stringify(other)}`);
    tokenOf.set(id, token);
  }
}
