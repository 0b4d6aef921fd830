import type { CheckpointFiles } from '../../io/checkpoint_files.ts';
import { FormatError, UnsupportedError } from '../../util/errors.ts';
import { describeJson, isJsonObject, readJson, readJsonList } from '../json.ts';
import { ConfigReader } from './config_reader.ts';

/** How a sentence encoder was trained to make one vector of a text. */
export interface SentenceSettings {
  readonly pooling: 'mean' | 'cls' | 'lastToken';
  /** Whether vectors have the length 1. */
  readonly normalize: boolean;
  readonly maxTokens: number | undefined;
}

/**
 * What sentence-transformers says of a checkpoint: `modules.json`, the folder of its pooling, `sentence_bert_config.json`. `undefined`
 * where there is no `modules.json`.
 *
 * @throws UnsupportedError for a module or a pooling that is not known: a vector without it would be another.
 */
export async function readSentenceSettings(
  files: CheckpointFiles,
  signal?: AbortSignal,
): Promise<SentenceSettings | undefined> {
  const file = 'modules.json';
  const modules = await readJsonList(files, file, signal);
  if (!modules) return undefined;
  let pooling: SentenceSettings['pooling'] = 'mean';
  let normalize = false;
  for (const module of modules) {
    if (!isJsonObject(module))
      throw new FormatError(file, `expected a list of objects, found ${describeJson(module)}`);
    const reader = new ConfigReader(file, module);
    const type = reader.string('type').split('.').at(-1);
    if (type === 'Pooling')
      pooling = await readPooling(files, `${reader.string('path')}/config.json`, signal);
    else if (type === 'Normalize') normalize = true;
    else if (type !== 'Transformer')
      throw new UnsupportedError(
        `${file}, module "${type ?? ''}"`,
        'only Transformer, Pooling and Normalize are known',
      );
  }
  return { pooling, normalize, maxTokens: await readMaxTokens(files, signal) };
}

const poolingModes: Readonly<Record<string, SentenceSettings['pooling']>> = {
  mean: 'mean',
  cls: 'cls',
  lasttoken: 'lastToken',
};

/** Newer files name one mode, older ones have a flag for each. */
async function readPooling(
  files: CheckpointFiles,
  file: string,
  signal: AbortSignal | undefined,
): Promise<SentenceSettings['pooling']> {
  const json = await readJson(files, file, signal);
  if (!json) return 'mean';
  const reader = new ConfigReader(file, json);
  const isSet = ([field, value]: readonly [string, unknown]): boolean =>
    field.startsWith('pooling_mode_') && value === true;
  const flags = Object.entries(json).filter(isSet);
  const modes = flags.map(([field]) => field.slice('pooling_mode_'.length).replace(/_tokens?$/, ''));
  const named = reader.optionalString('pooling_mode');
  const mode = named ?? modes.join(' and ');
  const known = poolingModes[mode];
  if (known) return known;
  throw new UnsupportedError(`${file}, pooling "${mode}"`, 'only mean, cls and lasttoken are known');
}

async function readMaxTokens(
  files: CheckpointFiles,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const file = 'sentence_bert_config.json';
  const json = await readJson(files, file, signal);
  return json && new ConfigReader(file, json).optionalInteger('max_seq_length', { min: 1 });
}
