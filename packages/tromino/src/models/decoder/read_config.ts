import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { FormatError } from '../../util/errors.ts';
import { activationFromConfig } from '../activations.ts';
import { layerTypesFromConfig } from '../layer_types.ts';
import { ropeFromConfig, type RopeConfig } from '../rope.ts';
import { mostLayers } from '../shared_config.ts';
import type { DecoderConfig } from './config.ts';

/** What a family's configuration class in transformers takes for a field that `config.json` leaves out. */
export interface DecoderDefaults {
  readonly vocab_size: number;
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  /** Undefined: as many as query heads. */
  readonly num_key_value_heads: number | undefined;
  /** Undefined: hidden_size / num_attention_heads. */
  readonly head_dim: number | undefined;
  /** Undefined: `silu`. */
  readonly hidden_act?: string;
  readonly max_position_embeddings: number;
  readonly rms_norm_eps: number;
  readonly rope_theta: number;
  readonly eos_token_id: number | undefined;
}

/** The fields that differ from family to family in more than their default. */
export type DecoderTraits = Pick<
  DecoderConfig,
  'queryKeyValueBias' | 'outputBias' | 'mlpBias' | 'queryKeyNorm' | 'subNorms' | 'windows'
> &
  Partial<
    Pick<
      DecoderConfig,
      'activation' | 'ropes' | 'isCausal' | 'outputNorms' | 'normsAddOne' | 'embeddingScale' | 'attentionScale'
    >
  >;

/**
 * Reads what all decoder families have in common.
 * @throws FormatError for sizes that cannot go together.
 */
export function readDecoderConfig(
  config: ConfigReader,
  defaults: DecoderDefaults,
  traits: (numLayers: number) => DecoderTraits,
): DecoderConfig {
  const size = (name: string, fallback: number): number => config.integer(name, { default: fallback, min: 1 });
  const hidden = size('hidden_size', defaults.hidden_size);
  const numHeads = size('num_attention_heads', defaults.num_attention_heads);
  // Left out, it is the family's number; null, as many as query heads.
  const isNull = config.json['num_key_value_heads'] === null;
  const numKeyHeads = size('num_key_value_heads', (isNull ? undefined : defaults.num_key_value_heads) ?? numHeads);
  const headDim = size('head_dim', defaults.head_dim ?? Math.floor(hidden / numHeads));
  const numLayers = config.integer('num_hidden_layers', {
    default: defaults.num_hidden_layers,
    min: 1,
    max: mostLayers,
  });
  const maxPositions = size('max_position_embeddings', defaults.max_position_embeddings);
  if (numHeads % numKeyHeads !== 0) {
    throw new FormatError(
      config.file,
      `num_attention_heads: expected a multiple of num_key_value_heads (${numKeyHeads}), found ${numHeads}`,
    );
  }
  if (headDim % 2 !== 0 || headDim === 0) {
    throw new FormatError(
      config.file,
      `head_dim: expected an even number from 2 for the rotation, found ${headDim} ` +
        `(left out, it is hidden_size ${hidden} / num_attention_heads ${numHeads})`,
    );
  }
  const given = traits(numLayers);
  return {
    vocabularySize: size('vocab_size', defaults.vocab_size),
    hidden,
    inner: size('intermediate_size', defaults.intermediate_size),
    numLayers,
    numHeads,
    numKeyHeads,
    headDim,
    maxPositions,
    rmsNormEpsilon: config.number('rms_norm_eps', { default: defaults.rms_norm_eps, min: 0 }),
    activation: activationFromConfig('hidden_act', config.string('hidden_act', { default: defaults.hidden_act ?? 'silu' })),
    defaultStopTokens: defaults.eos_token_id === undefined ? [] : [defaults.eos_token_id],
    ropePrecision: 'f32',
    ropes: given.ropes ?? equalRopes(config, defaults.rope_theta, maxPositions, numLayers),
    isCausal: true,
    outputNorms: false,
    normsAddOne: false,
    embeddingScale: 1,
    attentionScale: headDim ** -0.5,
    tieWordEmbeddings: config.boolean('tie_word_embeddings', { default: false }),
    ...given,
  };
}

function equalRopes(
  config: ConfigReader,
  defaultTheta: number,
  maxPositions: number,
  numLayers: number,
): readonly RopeConfig[] {
  const rope = ropeFromConfig(config, defaultTheta, maxPositions);
  return Array.from({ length: numLayers }, () => rope);
}

/** `sliding_window`: 4096 where it is left out, none where it is null. **Source** transformers, MistralConfig, Qwen2Config, Qwen3Config. */
export function slidingWindow(config: ConfigReader): number {
  if (config.json['sliding_window'] === null) return 0;
  return config.integer('sliding_window', { default: 4096, min: 1 });
}

/**
 * Windows for families that write `layer_types`, or imply it: with `use_sliding_window`, layers from `max_window_layers` on are windowed.
 * **Source** transformers, Qwen2Config and Qwen3Config.
 * @throws FormatError for a list of another length than the layers, or an unknown kind of layer.
 */
export function windowsFromLayerTypes(config: ConfigReader, numLayers: number): number[] {
  const isWindowed = config.boolean('use_sliding_window', { default: false });
  const window = isWindowed ? slidingWindow(config) : 0;
  const firstWindowed = config.integer('max_window_layers', { default: 28, min: 0 });
  const types = layerTypesFromConfig(config, numLayers, (layer) =>
    layer >= firstWindowed ? 'sliding_attention' : 'full_attention',
  );
  return types.map((type) => (type === 'sliding_attention' ? window : 0));
}
