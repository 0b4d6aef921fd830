import { bytes, characterPieces } from './tokenizers/small_tokenizers.ts';

/** Reads a file of a fixture. */
export type ReadFixture = (path: string) => Promise<Uint8Array>;

/** A small reference checkpoint with a small tokenizer added, as files in memory. */
export async function textCheckpoint(
  name: string,
  read: ReadFixture,
  added: Readonly<Record<string, unknown>> = {},
): Promise<Map<string, Uint8Array>> {
  const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const files = new Map<string, Uint8Array>();
  for (const file of ['config.json', 'model.safetensors']) files.set(file, await read(`${name}/${file}`));
  files.set('tokenizer.json', encode(/roberta/.test(name) ? bytes() : characterPieces()));
  for (const [file, value] of Object.entries(added)) files.set(file, encode(value));
  return files;
}
