import { cp, lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { OptionError, quantizeCheckpoint, UnsupportedError } from 'tromino';
import { locateCheckpoint } from '../checkpoint_location.ts';
import { formatBytes } from '../report.ts';
import { writeSafetensors } from '../safetensors_writer.ts';

/** Options of the `quantize` command. */
export interface QuantizeOptions {
  readonly blockSize: number;
  readonly doubleQuantization: boolean;
  /** Ends the command early; what it has written is removed. */
  readonly signal: AbortSignal;
}

const weightsFile = 'model.safetensors';

/** What belongs to a checkpoint beside its configuration and weights. */
const companions = [
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'tokenizer.model',
  'special_tokens_map.json',
  'added_tokens.json',
  'chat_template.jinja',
  'chat_template.json',
  'vocab.json',
  'vocab.txt',
  'merges.txt',
  'spiece.model',
  'sentencepiece.bpe.model',
  'modules.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
];

/** Where sentence-transformers keeps what becomes of hidden states, as in `1_Pooling`: without it vectors would be pooled otherwise. */
const moduleFolder = /^\d+_\w+$/;

/**
 * Writes a copy of a checkpoint with its projections in NF4, as bitsandbytes and transformers store them.
 *
 * @param out a folder that does not exist yet
 * @returns the exit code
 */
export async function quantize(
  folder: string,
  out: string,
  { signal, ...format }: QuantizeOptions,
): Promise<number> {
  const location = locateCheckpoint(folder);
  if (location.folder === undefined)
    throw new UnsupportedError(folder, 'a checkpoint behind a URL is not quantised; copy it first');
  const target = resolve(out);
  await requireNewFolder(target, out);
  const checkpoint = await quantizeCheckpoint(location.folder, { ...format, signal }).catch(inFlags);
  // Under another name until it is whole, so that nobody takes a part of a checkpoint for one.
  const partial = `${target}.partial-${process.pid}`;
  await makeFolder(partial).catch((cause: unknown) => {
    throw Object.assign(new OptionError(out, 'a place where a folder can be made', 'none'), { cause });
  });
  try {
    await writeSafetensors(join(partial, weightsFile), checkpoint.tensors());
    await writeFile(join(partial, 'config.json'), checkpoint.configText);
    const files = await readdir(location.folder);
    for (const file of files.filter((name) => companions.includes(name) || moduleFolder.test(name))) {
      await cp(join(location.folder, file), join(partial, file), { recursive: true });
    }
    await rename(partial, target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  const { size } = await stat(join(target, weightsFile));
  const { length } = checkpoint.quantized;
  console.log(
    `${out}: ${length} ${length === 1 ? 'matrix' : 'matrices'} in NF4, blocks of ${format.blockSize}, ${formatBytes(size)}`,
  );
  return 0;
}

/** The library names its own options, the caller of the command wrote flags. */
function inFlags(error: unknown): never {
  if (!(error instanceof OptionError) || error.option !== 'blockSize') throw error;
  throw new OptionError('--block', error.expected, error.found);
}

/** A link that leads nowhere is something too: a folder cannot take its name. */
async function requireNewFolder(target: string, out: string): Promise<void> {
  const isTaken = await lstat(target).then(
    () => true,
    () => false,
  );
  if (isTaken) throw new OptionError(out, 'a folder that does not exist yet', 'something there');
}

/** Makes a folder and those above it. Node's own way to do so never ends where the system says of a folder's place that there is none, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  const exists = await stat(parent).then(
    () => true,
    () => false,
  );
  if (!exists && parent !== folder) await makeFolder(parent);
  await mkdir(folder);
}
