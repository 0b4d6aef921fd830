import type { CheckpointFiles } from '../../io/checkpoint_files.ts';
import { createTokenizer } from '../../tokenizer/create_tokenizer.ts';
import type { TokenizerSettings } from '../../tokenizer/create_tokenizer.ts';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';
import { isJsonObject, readJson } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/**
 * Loads a checkpoint's tokenizer: `tokenizer.json` and, where there is one, `tokenizer_config.json`. `undefined` when the checkpoint
 * has no `tokenizer.json`; its model then takes ids only.
 *
 * @throws FormatError when a file is no JSON or no tokenizer.
 * @throws UnsupportedError for a kind of tokenizer that is not known.
 */
export async function loadTokenizer(
  files: CheckpointFiles,
  signal?: AbortSignal,
): Promise<Tokenizer | undefined> {
  const file = 'tokenizer.json';
  const definition = await readJson(files, file, signal);
  if (!definition) return undefined;
  const config = (await readJson(files, 'tokenizer_config.json', signal)) ?? {};
  return await createTokenizer(file, definition, readSettings(config));
}

/** Settings as transformers 4 (`additional_special_tokens`, tokens as objects) and 5 (`extra_special_tokens`) write them. */
function readSettings(config: JsonObject): TokenizerSettings {
  const extra = [config.additional_special_tokens, config.extra_special_tokens]
    .flatMap(listOf)
    .map(tokenText);
  return {
    unknownToken: tokenText(config.unk_token),
    endToken: tokenText(config.eos_token),
    extraSpecialTokens: extra.filter((token) => token !== undefined),
    cleanUpSpaces: config.clean_up_tokenization_spaces === true,
  };
}

/** A list's or an object's values: transformers has written both. */
function listOf(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  if (isJsonObject(value)) return Object.values(value);
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** A special token is its text, or an object that holds it. */
function tokenText(value: JsonValue | undefined): string | undefined {
  const content = isJsonObject(value) ? value.content : value;
  return typeof content === 'string' ? content : undefined;
}
