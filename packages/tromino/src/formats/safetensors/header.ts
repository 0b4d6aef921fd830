import type { ByteSource } from '../../io/byte_source.ts';
import { elementSizeBytes } from '../../tensor/dtype.ts';
import type { StoredDType } from '../../tensor/dtype.ts';
import { formatShape } from '../../tensor/shape.ts';
import type { Shape } from '../../tensor/shape.ts';
import { FormatError } from '../../util/errors.ts';
import { describeJson, findDuplicateKey, isJsonObject, recognise } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { TensorEntry } from '../weight_index.ts';
import { parseDType } from './dtypes.ts';

/** What a safetensors file says of itself before its data. */
export interface SafetensorsHeader {
  /** In the order of their bytes, which they fill without hole or overlap to the end of the file. */
  readonly tensors: readonly TensorEntry[];
  readonly metadata: ReadonlyMap<string, string>;
}

const lengthFieldBytes = 8;

/** The reference implementation's limit. */
const headerLimitBytes = 100_000_000;

const metadataKey = '__metadata__';

/**
 * Reads and checks the header of a safetensors file; no tensor data is read.
 *
 * The file is `N` (u64, little-endian), `N` bytes of JSON that begin with `{` and may end in spaces, then the data. Tensor ranges
 * count from the beginning of the data. They must tile it exactly, since a hole or an overlap can hide what a reader does not see.
 *
 * **Source** https://github.com/huggingface/safetensors, README "Format" and safetensors/src/tensor.rs, `SafeTensors::read_metadata`.
 *
 * @throws FormatError that names the file, the tensor, and what was expected and found.
 * @throws UnsupportedError for a dtype of the format that is not read here.
 */
export async function readSafetensorsHeader(
  source: ByteSource,
  signal?: AbortSignal,
): Promise<SafetensorsHeader> {
  const headerBytes = await readHeaderLength(source, signal);
  const text = decodeHeader(source.name, await source.read(lengthFieldBytes, headerBytes, signal));
  const json = parseHeader(source.name, text);
  const dataOffsetBytes = lengthFieldBytes + headerBytes;
  const tensors = Object.entries(json)
    .filter(([name]) => name !== metadataKey)
    .map(([name, value]) => parseTensor(source, dataOffsetBytes, name, value))
    .sort((a, b) => a.offsetBytes - b.offsetBytes || a.sizeBytes - b.sizeBytes);
  requireTiling(source, dataOffsetBytes, tensors);
  return { tensors, metadata: parseMetadata(source.name, json[metadataKey]) };
}

/** The length stays a BigInt until it is known to be small: beyond 2^53 a number would be another length. */
async function readHeaderLength(source: ByteSource, signal: AbortSignal | undefined): Promise<number> {
  const { name, sizeBytes } = source;
  const start = await source.read(0, Math.min(200, sizeBytes), signal);
  const stranger = recognise(new TextDecoder().decode(start));
  if (stranger) throw new FormatError(name, `expected a safetensors file, found ${stranger}`, 0);
  if (sizeBytes < lengthFieldBytes) {
    throw new FormatError(name, `expected at least ${lengthFieldBytes} bytes, found ${sizeBytes}`, 0);
  }
  const length = new DataView(start.buffer, start.byteOffset).getBigUint64(0, true);
  if (length < 2n)
    throw new FormatError(name, `expected a header of 2 bytes or more, found ${length.toString()}`, 0);
  const roomBytes = sizeBytes - lengthFieldBytes;
  if (length > BigInt(roomBytes)) {
    const found = `a file with ${roomBytes} bytes left`;
    throw new FormatError(name, `expected a header of ${length.toString()} bytes, found ${found}`, 0);
  }
  if (length > BigInt(headerLimitBytes)) {
    const expected = `a header of at most ${headerLimitBytes} bytes`;
    throw new FormatError(name, `expected ${expected}, found ${length.toString()}`, 0);
  }
  return Number(length);
}

function decodeHeader(file: string, bytes: Uint8Array): string {
  if (bytes[0] !== 0x7b)
    throw new FormatError(file, 'expected a header that begins with {', lengthFieldBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError(file, 'expected a header in UTF-8, found other bytes', lengthFieldBytes);
  }
}

function parseHeader(file: string, text: string): JsonObject {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new FormatError(file, `expected a header in JSON, found ${String(error)}`, lengthFieldBytes);
  }
  if (!isJsonObject(json))
    throw new FormatError(file, `expected a JSON object, found ${describeJson(json)}`, 8);
  const duplicate = findDuplicateKey(text);
  if (duplicate === undefined) return json;
  throw new FormatError(
    file,
    `expected each name once, found ${JSON.stringify(duplicate)} twice in the header`,
  );
}

function parseTensor(
  source: ByteSource,
  dataOffsetBytes: number,
  name: string,
  value: JsonValue | undefined,
): TensorEntry {
  const fail = (expected: string, found: string): never => {
    throw new FormatError(source.name, `tensor ${name}: expected ${expected}, found ${found}`);
  };
  if (!isJsonObject(value)) return fail('an object with dtype, shape and data_offsets', describeJson(value));
  if (typeof value.dtype !== 'string') return fail('a dtype', describeJson(value.dtype));
  const dtype = parseDType(source.name, name, value.dtype);
  const shape = sizeList(value.shape) ?? fail('a shape of whole numbers', describeJson(value.shape));
  const offsets = sizeList(value.data_offsets);
  const [begin, end] = offsets ?? [];
  if (offsets?.length !== 2 || begin === undefined || end === undefined) {
    return fail('data_offsets of two whole numbers', describeJson(value.data_offsets));
  }
  if (begin > end) return fail('data_offsets in rising order', `[${begin}, ${end}]`);
  const dataBytes = source.sizeBytes - dataOffsetBytes;
  if (end > dataBytes) return fail(`data that ends at byte ${end}`, `a file with ${dataBytes} bytes of data`);
  const expectedBytes = storedBytes(dtype, shape);
  if (expectedBytes !== BigInt(end - begin)) {
    return fail(`${expectedBytes.toString()} bytes for ${dtype} ${formatShape(shape)}`, `${end - begin}`);
  }
  return { name, dtype, shape, source, offsetBytes: dataOffsetBytes + begin, sizeBytes: end - begin };
}

/** A list of whole numbers from 0 to 2^53 - 1; `undefined` when it is anything else. */
function sizeList(value: JsonValue | undefined): readonly number[] | undefined {
  const valid =
    Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);
  return valid ? (value as readonly number[]) : undefined;
}

/** Sizes may multiply past 2^53, where a number would round to a range that fits. */
function storedBytes(dtype: StoredDType, shape: Shape): bigint {
  return shape.reduce((product, size) => product * BigInt(size), BigInt(elementSizeBytes(dtype)));
}

/** Ranges, sorted, must follow each other from the first byte of the data to the last of the file. */
function requireTiling(source: ByteSource, dataOffsetBytes: number, tensors: readonly TensorEntry[]): void {
  let endBytes = dataOffsetBytes;
  let before = 'the header';
  for (const { name, offsetBytes, sizeBytes } of tensors) {
    if (offsetBytes !== endBytes) {
      const fault = offsetBytes < endBytes ? 'an overlap' : 'a hole';
      const found = `${fault} of ${Math.abs(offsetBytes - endBytes)} bytes`;
      throw new FormatError(
        source.name,
        `tensor ${name}: expected data right after ${before}, found ${found}`,
        offsetBytes,
      );
    }
    endBytes = offsetBytes + sizeBytes;
    before = `tensor ${name}`;
  }
  if (endBytes === source.sizeBytes) return;
  const found = `${source.sizeBytes - endBytes} bytes more`;
  throw new FormatError(source.name, `expected the file to end with ${before}, found ${found}`, endBytes);
}

function parseMetadata(file: string, value: JsonValue | undefined): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  if (!isJsonObject(value)) {
    throw new FormatError(
      file,
      `${metadataKey}: expected an object of strings, found ${describeJson(value)}`,
    );
  }
  return new Map(
    Object.entries(value).map(([key, text]) => {
      if (typeof text === 'string') return [key, text];
      throw new FormatError(file, `${metadataKey}.${key}: expected a string, found ${describeJson(text)}`);
    }),
  );
}
