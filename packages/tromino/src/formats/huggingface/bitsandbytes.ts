import { nf4BlockSizes, nf4Bytes } from '../../tensor/nf4.ts';
import { decodeToF32, isFloat } from '../../tensor/decode.ts';
import { elementSizeBytes } from '../../tensor/dtype.ts';
import { elementCount, formatShape } from '../../tensor/shape.ts';
import { must } from '../../util/assert.ts';
import { FormatError, ShapeError, UnsupportedError } from '../../util/errors.ts';
import { parseJsonObject } from '../json.ts';
import { readSmallTensors } from '../read_small_tensors.ts';
import type { NestedScalesEntry, Nf4Matrix, TensorEntry, WeightIndex } from '../weight_index.ts';
import { ConfigReader } from './config_reader.ts';

type Tensors = WeightIndex['tensors'];

const stateInfix = '.quant_state.bitsandbytes__';

/** What bitsandbytes adds to a quantised tensor's name. */
const companions = ['absmax', 'quant_map', 'nested_absmax', 'nested_quant_map'] as const;

/** A quant_state is some 200 bytes. */
const stateLimitBytes = 65_536;

/**
 * Finds the matrices that bitsandbytes stored in NF4, and reads what is small about them: the shape, the block size and the 16 values.
 * The tensors decide, not the configuration: modules that were left as they are simply have no quant_state.
 *
 * For a matrix `x.weight` there are `x.weight` (codes, two a byte), `x.weight.quant_state.bitsandbytes__nf4` (JSON), `x.weight.quant_map`,
 * `x.weight.absmax` and, where the scales are quantised again, `x.weight.nested_absmax` and `x.weight.nested_quant_map`.
 *
 * **Source** https://github.com/bitsandbytes-foundation/bitsandbytes, bitsandbytes/functional.py, `QuantState.as_dict` and `from_dict`.
 *
 * @returns the matrices by the names of their tensors
 * @throws FormatError, ShapeError or UnsupportedError naming the tensor that is missing or wrong.
 */
export async function readNf4Matrices(
  tensors: Tensors,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Nf4Matrix>> {
  const states = new Map<string, TensorEntry>();
  for (const entry of tensors.values()) {
    const [name, type] = entry.name.split(stateInfix);
    if (name !== undefined && type !== undefined) states.set(name, checkState(entry, type));
  }
  requireStates(tensors, states);
  if (states.size === 0) return new Map();
  const maps = [...states.keys()].flatMap((name) => tensors.get(`${name}.quant_map`) ?? []);
  const bytesOf = await readSmallTensors([...states.values(), ...maps.filter(isSmall)], signal);
  const read = (entry: TensorEntry): Uint8Array => must(bytesOf.get(entry), entry.name);
  return new Map(
    [...states].map(([name, state]): [string, Nf4Matrix] => {
      const subject = `${state.source.name}, tensor ${state.name}`;
      const fields = new ConfigReader(subject, parseJsonObject(subject, read(state)));
      return [name, readMatrix(tensors, name, state, fields, read)];
    }),
  );
}

/**
 * Checks a `quantization_config` of bitsandbytes' against the tensors.
 * @throws UnsupportedError for 8-bit weights.
 * @throws FormatError where 4-bit weights are promised and none are stored.
 */
export function checkBitsandbytesConfig(config: ConfigReader, index: WeightIndex): void {
  const flag = (name: string): boolean =>
    config.boolean(name, { default: config.boolean(`_${name}`, { default: false }) });
  if (flag('load_in_8bit')) {
    throw new UnsupportedError('quantization_config', '8-bit weights of bitsandbytes are not supported');
  }
  if (!flag('load_in_4bit')) config.fail('load_in_4bit', 'true');
  if (index.nf4.size === 0) {
    throw new FormatError(
      config.file,
      'quantization_config: expected tensors in NF4, found none with a quant_state; was the checkpoint saved quantised?',
    );
  }
}

function checkState(entry: TensorEntry, type: string): TensorEntry {
  if (type !== 'nf4') {
    throw new UnsupportedError(
      `${entry.source.name}, tensor ${entry.name}`,
      `4-bit type "${type}"; only nf4 is supported`,
    );
  }
  if (entry.dtype !== 'u8') fail(entry, 'u8', entry.dtype);
  if (entry.sizeBytes > stateLimitBytes)
    fail(entry, `at most ${stateLimitBytes} bytes`, `${entry.sizeBytes}`);
  return entry;
}

/** Whether a tensor can be what it should be; what cannot is not read, and refused later by its size. */
function isSmall({ sizeBytes }: TensorEntry): boolean {
  return sizeBytes <= stateLimitBytes;
}

/** Scales without a quant_state: what they scale cannot be known. */
function requireStates(tensors: Tensors, states: ReadonlyMap<string, TensorEntry>): void {
  for (const entry of tensors.values()) {
    const suffix = companions.find((companion) => entry.name.endsWith(`.weight.${companion}`));
    if (suffix === undefined) continue;
    const name = entry.name.slice(0, -suffix.length - 1);
    if (states.has(name)) continue;
    const missing = `${name}${stateInfix}nf4`;
    throw new FormatError(
      entry.source.name,
      `tensor ${entry.name}: expected ${missing} beside it, found none`,
    );
  }
}

function readMatrix(
  tensors: Tensors,
  name: string,
  stateEntry: TensorEntry,
  state: ConfigReader,
  read: (entry: TensorEntry) => Uint8Array,
): Nf4Matrix {
  const type = state.string('quant_type');
  if (type !== 'nf4') state.fail('quant_type', '"nf4", as the tensor is called');
  const [rows, columns] = readShape(state);
  const blockSize = readBlockSize(state, 'blocksize', nf4BlockSizes);
  const codes = requireTensor(tensors, name, state);
  checkCodes(codes, rows, columns);
  const mapEntry = requireMap(tensors, `${name}.quant_map`, 16, state);
  const map = new Float32Array(16);
  decodeToF32(mapEntry.name, mapEntry.dtype, read(mapEntry), map);
  const wrong = map.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) fail(mapEntry, '16 finite numbers', `${map[wrong] as number} at ${wrong}`);
  const numBlocks = Math.ceil((rows * columns) / blockSize);
  const scales = requireTensor(tensors, `${name}.absmax`, state);
  const nested = scales.dtype === 'u8' ? readNested(tensors, name, state, numBlocks) : undefined;
  if (!nested && !isFloat(scales.dtype)) fail(scales, 'f32 or u8', scales.dtype);
  requireCount(scales, numBlocks);
  if (!nested && state.has('nested_offset'))
    fail(scales, 'u8, as its quant_state has a nested_offset', scales.dtype);
  return { rows, columns, blockSize, map: [...map], mapEntry, codes, scales, nested, state: stateEntry };
}

function readShape(state: ConfigReader): readonly [number, number] {
  const shape = state.optionalNumbers('shape');
  const [rows, columns] = shape ?? [];
  const isSize = (size: number | undefined): size is number => Number.isSafeInteger(size) && Number(size) > 0;
  if (shape?.length !== 2 || !isSize(rows) || !isSize(columns) || !Number.isSafeInteger(rows * columns)) {
    return state.fail('shape', 'two positive sizes');
  }
  return [rows, columns];
}

function readBlockSize(state: ConfigReader, field: string, allowed: readonly number[]): number {
  const size = state.integer(field);
  return allowed.includes(size) ? size : state.fail(field, `one of ${allowed.join(', ')}`);
}

/** Codes are stored as bytes, or as the bytes of some other type that suits a training library. */
function checkCodes(codes: TensorEntry, rows: number, columns: number): void {
  const elementBytes = elementSizeBytes(codes.dtype);
  const expectedBytes = Math.ceil(nf4Bytes(rows * columns) / elementBytes) * elementBytes;
  if (codes.sizeBytes === expectedBytes) return;
  throw new ShapeError(
    `${codes.source.name}: tensor ${codes.name}`,
    `${expectedBytes} bytes for ${formatShape([rows, columns])} in NF4`,
    `${codes.sizeBytes}`,
  );
}

function readNested(
  tensors: Tensors,
  name: string,
  state: ConfigReader,
  numBlocks: number,
): NestedScalesEntry {
  const blockSize = state.integer('nested_blocksize', { min: 1 });
  const absmax = requireTensor(tensors, `${name}.nested_absmax`, state);
  if (!isFloat(absmax.dtype)) fail(absmax, 'f32', absmax.dtype);
  requireCount(absmax, Math.ceil(numBlocks / blockSize));
  return {
    absmax,
    map: requireMap(tensors, `${name}.nested_quant_map`, 256, state),
    blockSize,
    offset: state.number('nested_offset'),
    dtype: readScaleDType(state),
  };
}

function readScaleDType(state: ConfigReader): NestedScalesEntry['dtype'] {
  const dtype = state.string('nested_dtype');
  if (dtype === 'float32' || dtype === 'bfloat16' || dtype === 'float16') return dtype;
  return state.fail('nested_dtype', 'float32, bfloat16 or float16');
}

function requireMap(tensors: Tensors, name: string, count: number, state: ConfigReader): TensorEntry {
  const entry = requireTensor(tensors, name, state);
  if (!isFloat(entry.dtype)) fail(entry, 'f32', entry.dtype);
  requireCount(entry, count);
  return entry;
}

/** A tensor that belongs to the one whose quant_state is being read. */
function requireTensor(tensors: Tensors, name: string, { file }: ConfigReader): TensorEntry {
  const entry = tensors.get(name);
  if (entry) return entry;
  throw new FormatError(file, `expected tensor ${name} beside it, found none`);
}

function requireCount(entry: TensorEntry, count: number): void {
  if (elementCount(entry.shape) === count) return;
  throw new ShapeError(
    `${entry.source.name}: tensor ${entry.name}`,
    `${count} elements`,
    formatShape(entry.shape),
  );
}

function fail(entry: TensorEntry, expected: string, found: string): never {
  throw new FormatError(entry.source.name, `tensor ${entry.name}: expected ${expected}, found ${found}`);
}
