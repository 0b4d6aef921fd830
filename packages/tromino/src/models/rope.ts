import { ConfigReader } from '../formats/huggingface/config_reader.ts';
import { isJsonObject } from '../formats/json.ts';
import { roundToBfloat16 } from '../tensor/bfloat16.ts';
import { roundToFloat16 } from '../tensor/float16.ts';
import { UnsupportedError } from '../util/errors.ts';
import type { LayerType } from './layer_types.ts';

/** Rotary position embedding of a family, as its config asks for it. */
export type RopeConfig =
  | { readonly type: 'default'; readonly theta: number }
  | { readonly type: 'linear'; readonly theta: number; readonly factor: number }
  | {
      readonly type: 'llama3';
      readonly theta: number;
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalMaxPositions: number;
    };

/** Bases and factors below this mean nothing, and far below it frequencies are no finite f32 any more. */
const leastFactor = 1e-3;

/**
 * Reads the rotation from a config as transformers 5 writes it (`rope_parameters` with everything inside) or as transformers 4 does
 * (`rope_theta` beside an optional `rope_scaling`, whose kind is called `rope_type` or, earlier, `type`). A `rope_scaling` that stands
 * beside `rope_parameters`, as one that was added by hand does, is taken instead of them, with its own base or the common one.
 * **Source** transformers, modeling_rope_utils.py, `RotaryEmbeddingConfigMixin.convert_rope_params_to_dict`.
 * @throws UnsupportedError for a kind of scaling that is not known: a guess would give finite nonsense.
 */
export function ropeFromConfig(config: ConfigReader, defaultTheta: number, maxPositions: number): RopeConfig {
  const scaling = nonEmpty(config.optionalObject('rope_scaling')) ?? config.optionalObject('rope_parameters');
  const commonTheta = config.number('rope_theta', { default: defaultTheta, min: leastFactor });
  const theta = scaling?.number('rope_theta', { default: commonTheta, min: leastFactor }) ?? commonTheta;
  if (!scaling) return { type: 'default', theta };
  const nested = Object.keys(scaling.json).find((field) => isJsonObject(scaling.json[field]));
  if (nested !== undefined) {
    throw new UnsupportedError(
      `rope parameters of ${nested}`,
      'one rotation for all layers is supported here, found one for each kind of layer',
    );
  }
  const partial = scaling.number('partial_rotary_factor', { default: 1 });
  if (partial !== 1) throw new UnsupportedError('partial_rotary_factor', `only 1 is supported here, found ${partial}`);
  return scaledRope(scaling, theta, maxPositions);
}

/**
 * Reads a rotation for each kind of layer: `rope_parameters` with one object for each, as transformers 5 writes it, or one `rope_scaling`
 * for all with a base for each kind, as transformers 4 does. Where both are given, the fields of `rope_scaling` count.
 * @param thetas the bases where `rope_parameters` does not name them.
 * @param scaled kinds of layers that a common `rope_scaling` is for.
 */
export function ropesByLayerType(
  config: ConfigReader,
  maxPositions: number,
  thetas: Readonly<Record<LayerType, number>>,
  scaled: readonly LayerType[] = ['full_attention', 'sliding_attention'],
): Readonly<Record<LayerType, RopeConfig>> {
  const modern = config.optionalObject('rope_parameters');
  const common = config.optionalObject('rope_scaling');
  const ropeOf = (type: LayerType): RopeConfig => {
    const own = modern?.optionalObject(type);
    const added = scaled.includes(type) ? common : undefined;
    const scaling = own && added ? new ConfigReader(config.file, { ...own.json, ...added.json }, 'rope_scaling') : (own ?? added);
    if (!scaling) return { type: 'default', theta: thetas[type] };
    const theta = scaling.number('rope_theta', { default: thetas[type], min: leastFactor });
    return scaledRope(scaling, theta, maxPositions);
  };
  return { full_attention: ropeOf('full_attention'), sliding_attention: ropeOf('sliding_attention') };
}

/** An object without fields says nothing: Python takes it for false. */
function nonEmpty(reader: ConfigReader | undefined): ConfigReader | undefined {
  return reader && Object.keys(reader.json).length > 0 ? reader : undefined;
}

function scaledRope(scaling: ConfigReader, theta: number, maxPositions: number): RopeConfig {
  const type = scaling.string('rope_type', { default: scaling.string('type', { default: 'default' }) });
  switch (type) {
    case 'default':
      return { type, theta };
    case 'linear':
      return { type, theta, factor: scaling.number('factor', { min: leastFactor }) };
    case 'llama3': {
      const lowFrequencyFactor = scaling.number('low_freq_factor', { min: leastFactor });
      const highFrequencyFactor = scaling.number('high_freq_factor', { min: leastFactor });
      if (highFrequencyFactor <= lowFrequencyFactor) {
        scaling.fail('high_freq_factor', `more than low_freq_factor (${lowFrequencyFactor})`);
      }
      return {
        type,
        theta,
        factor: scaling.number('factor', { min: leastFactor }),
        lowFrequencyFactor,
        highFrequencyFactor,
        originalMaxPositions: scaling.integer('original_max_position_embeddings', { default: maxPositions, min: 1 }),
      };
    }
    default:
      throw new UnsupportedError('rope_type', `"${type}" is not known; known are default, linear, llama3`);
  }
}

/**
 * How the frequencies are held. transformers keeps them in f32 whatever the weights are; but a model that was cast as a whole, as
 * `model.to(torch.bfloat16)` and `model.half()` do, has them rounded to that type for good, and answers a little differently.
 */
export type RopePrecision = 'f32' | 'f16' | 'bf16';

/**
 * Radians per position for each rotated pair of a head.
 * **Source** transformers, modeling_rope_utils.py: `_compute_default_rope_parameters`, `_compute_linear_scaling_rope_parameters`,
 * `_compute_llama3_parameters`.
 */
export function inverseFrequencies(rope: RopeConfig, rotaryDim: number, precision: RopePrecision): number[] {
  const plain = Array.from({ length: rotaryDim / 2 }, (_, pair) =>
    Math.fround(1 / rope.theta ** ((2 * pair) / rotaryDim)),
  );
  return plain.map((frequency) => roundTo(precision, Math.fround(scaledFrequency(frequency, rope))));
}

function roundTo(precision: RopePrecision, value: number): number {
  switch (precision) {
    case 'f32':
      return value;
    case 'f16':
      return roundToFloat16(value);
    case 'bf16':
      return roundToBfloat16(value);
  }
}

function scaledFrequency(frequency: number, rope: RopeConfig): number {
  switch (rope.type) {
    case 'default':
      return frequency;
    case 'linear':
      return frequency / rope.factor;
    case 'llama3':
      return llama3Frequency(frequency, rope);
  }
}

/** Long waves are stretched by the factor, short ones kept, and those in between blended. */
function llama3Frequency(frequency: number, rope: Extract<RopeConfig, { type: 'llama3' }>): number {
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalMaxPositions } = rope;
  const wavelength = (2 * Math.PI) / frequency;
  if (wavelength > originalMaxPositions / lowFrequencyFactor) return frequency / factor;
  if (wavelength < originalMaxPositions / highFrequencyFactor) return frequency;
  const smooth =
    (originalMaxPositions / wavelength - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
  return ((1 - smooth) * frequency) / factor + smooth * frequency;
}
