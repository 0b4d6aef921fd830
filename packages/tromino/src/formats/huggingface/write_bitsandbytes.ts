import { nf4Map, quantizeNestedScales, quantizeNf4 } from '../../tensor/nf4.ts';
import type { StoredDType } from '../../tensor/dtype.ts';
import type { Shape } from '../../tensor/shape.ts';
import type { JsonObject } from '../json.ts';

/** How weights are quantised. */
export interface Nf4Format {
  /** Weights that share a scale. */
  readonly blockSize: number;
  /** Whether scales are quantised too, to 8 bits. */
  readonly nestsScales: boolean;
}

/** A whole tensor to be stored, little-endian. */
export interface TensorToStore {
  readonly name: string;
  readonly dtype: StoredDType;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
}

/** torch's names of the types that a matrix may have had. */
const torchNames: Readonly<Partial<Record<StoredDType, string>>> = {
  f32: 'float32',
  f16: 'float16',
  bf16: 'bfloat16',
};

/**
 * Quantises a matrix, and gives the tensors that bitsandbytes stores for it, under its names and in its shapes.
 *
 * **Shapes** weights[shape[0] · shape[1]]
 *
 * @param dtype what the weights were stored as before
 * @throws ShapeError for a weight that is no finite number.
 */
export function nf4Tensors(
  name: string,
  weights: Float32Array,
  shape: Shape,
  dtype: StoredDType,
  { blockSize, nestsScales }: Nf4Format,
): TensorToStore[] {
  const { codes, scales } = quantizeNf4(weights, blockSize);
  const state = [
    `"quant_type": "nf4"`,
    `"blocksize": ${blockSize}`,
    `"dtype": "${torchNames[dtype] ?? 'float32'}"`,
    `"shape": [${shape.join(', ')}]`,
  ];
  const tensors: TensorToStore[] = [
    { name, dtype: 'u8', shape: [codes.length, 1], bytes: codes },
    floats(`${name}.quant_map`, Float32Array.from(nf4Map)),
  ];
  if (nestsScales) {
    const nested = quantizeNestedScales(scales);
    tensors.push(
      { name: `${name}.absmax`, dtype: 'u8', shape: [nested.codes.length], bytes: nested.codes },
      floats(`${name}.nested_absmax`, nested.absmax),
      floats(`${name}.nested_quant_map`, Float32Array.from(nested.map)),
    );
    state.push(
      `"nested_blocksize": ${nested.blockSize}`,
      '"nested_dtype": "float32"',
      `"nested_offset": ${pythonFloat(nested.offset)}`,
    );
  } else tensors.push(floats(`${name}.absmax`, scales));
  const json = new TextEncoder().encode(`{${state.join(', ')}}`);
  tensors.push({
    name: `${name}.quant_state.bitsandbytes__nf4`,
    dtype: 'u8',
    shape: [json.length],
    bytes: json,
  });
  return tensors;
}

/**
 * The `quantization_config` of a checkpoint with such tensors, as transformers writes it, but for `llm_int8_threshold`: it has no meaning here,
 * and transformers wants it written as a float (6.0), which JSON of JavaScript does not do.
 * @param skipped modules that were left in floats although they could have been quantised
 */
export function bitsandbytesConfig({ nestsScales }: Nf4Format, skipped: readonly string[]): JsonObject {
  return {
    _load_in_4bit: true,
    _load_in_8bit: false,
    bnb_4bit_compute_dtype: 'float32',
    bnb_4bit_quant_storage: 'uint8',
    bnb_4bit_quant_type: 'nf4',
    bnb_4bit_use_double_quant: nestsScales,
    llm_int8_enable_fp32_cpu_offload: false,
    llm_int8_has_fp16_weight: false,
    llm_int8_skip_modules: skipped.length > 0 ? skipped : null,
    load_in_4bit: true,
    load_in_8bit: false,
    quant_method: 'bitsandbytes',
  };
}

function floats(name: string, values: Float32Array): TensorToStore {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, dtype: 'f32', shape: [values.length], bytes };
}

/** A number as Python's json module writes a float: always with a point or an exponent of two digits. */
function pythonFloat(value: number): string {
  if (Number.isInteger(value)) return value.toFixed(1);
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}
