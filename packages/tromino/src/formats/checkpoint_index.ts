import type { CheckpointFiles } from '../io/checkpoint_files.ts';
import { staysInside } from '../io/file_names.ts';
import { FormatError, SourceError } from '../util/errors.ts';
import { readNf4Matrices } from './huggingface/bitsandbytes.ts';
import { describeJson, isJsonObject, readJson } from './json.ts';
import type { JsonObject } from './json.ts';
import { readSafetensorsHeader } from './safetensors/header.ts';
import type { SafetensorsHeader } from './safetensors/header.ts';
import type { WeightIndex } from './weight_index.ts';

const singleFile = 'model.safetensors';
const indexFile = 'model.safetensors.index.json';

/**
 * Finds and checks all stored tensors of a checkpoint: `model.safetensors`, or the shards that `model.safetensors.index.json` lists.
 * Only headers are read, and the small tensors that say how others are quantised, so that a checkpoint with a fault is refused before its weights are downloaded.
 *
 * @throws FormatError when a file breaks its format or index and shards disagree.
 * @throws SourceError when a file is missing.
 */
export async function readWeightIndex(files: CheckpointFiles, signal?: AbortSignal): Promise<WeightIndex> {
  const single = await files.open(singleFile, signal);
  if (single) return toIndex([await readSafetensorsHeader(single, signal)], signal);
  const index = await readJson(files, indexFile, signal);
  if (!index) throw await missingWeights(files, signal);
  const weightMap = parseWeightMap(index);
  const headers = await readShards(files, new Set(weightMap.values()), signal);
  requireAgreement(weightMap, headers);
  return toIndex([...headers.values()], signal);
}

async function toIndex(
  headers: readonly SafetensorsHeader[],
  signal: AbortSignal | undefined,
): Promise<WeightIndex> {
  const all = headers.flatMap((header) => header.tensors);
  const tensors = new Map(all.map((tensor) => [tensor.name, tensor]));
  return {
    tensors,
    nf4: await readNf4Matrices(tensors, signal),
    totalBytes: all.reduce((sum, tensor) => sum + tensor.sizeBytes, 0),
    metadata: new Map(headers.flatMap((header) => [...header.metadata])),
  };
}

/** Shard name by tensor name. */
function parseWeightMap(index: JsonObject): ReadonlyMap<string, string> {
  const weightMap = index.weight_map;
  if (!isJsonObject(weightMap) || Object.keys(weightMap).length === 0) {
    throw new FormatError(indexFile, `expected a weight_map, found ${describeJson(weightMap)}`);
  }
  return new Map(
    Object.entries(weightMap).map(([tensor, shard]) => {
      if (typeof shard === 'string' && staysInside(shard)) return [tensor, shard];
      throw new FormatError(
        indexFile,
        `tensor ${tensor}: expected the name of a shard, found ${describeJson(shard)}`,
      );
    }),
  );
}

async function readShards(
  files: CheckpointFiles,
  names: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, SafetensorsHeader>> {
  const headers = new Map<string, SafetensorsHeader>();
  for (const name of names) {
    const source = await files.open(name, signal);
    if (!source)
      throw new SourceError(name, `${indexFile} lists this shard, found none in ${files.description}`);
    headers.set(name, await readSafetensorsHeader(source, signal));
  }
  return headers;
}

/** Index and shards must say the same: a tensor from the wrong shard, or one left unread, is a wrong model without a message. */
function requireAgreement(
  weightMap: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, SafetensorsHeader>,
): void {
  const shardOf = new Map<string, string>();
  for (const [shard, header] of headers) {
    for (const { name } of header.tensors) {
      const other = shardOf.get(name);
      if (other !== undefined)
        throw new FormatError(shard, `tensor ${name} is also in ${other}: expected it once`);
      if (!weightMap.has(name)) throw new FormatError(shard, `tensor ${name} is not listed in ${indexFile}`);
      shardOf.set(name, shard);
    }
  }
  for (const [tensor, shard] of weightMap) {
    const found = shardOf.get(tensor);
    if (found === shard) continue;
    const place = found === undefined ? 'in none of the shards' : `in ${found}`;
    throw new FormatError(indexFile, `tensor ${tensor}: expected in ${shard}, found ${place}`);
  }
}

/** Says what is there instead of weights: each cause has its own remedy. */
async function missingWeights(files: CheckpointFiles, signal: AbortSignal | undefined): Promise<SourceError> {
  const names = (await files.list?.(signal)) ?? (await probe(files, signal));
  const shards = names.filter((name) => /-\d+-of-\d+\.safetensors$/.test(name));
  if (shards.length > 0) {
    return new SourceError(indexFile, `expected this index of the shards ${shards.join(', ')}, found none`);
  }
  const pickled = names.find((name) => /^pytorch_model.*\.bin/.test(name));
  if (pickled !== undefined) {
    const remedy = 'save it with transformers and safe_serialization=True';
    return new SourceError(singleFile, `expected weights as safetensors, found only ${pickled}: ${remedy}`);
  }
  const others = names.filter((name) => name.endsWith('.safetensors'));
  const found = others.length > 0 ? `only ${others.join(', ')}` : 'neither';
  return new SourceError(singleFile, `expected this or ${indexFile} in ${files.description}, found ${found}`);
}

/** Looks for other frameworks' weights where files cannot be listed. */
async function probe(files: CheckpointFiles, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const candidates = ['pytorch_model.bin', 'pytorch_model.bin.index.json'];
  const sources = await Promise.all(candidates.map((name) => files.open(name, signal)));
  return candidates.filter((_, i) => sources[i] !== undefined);
}
