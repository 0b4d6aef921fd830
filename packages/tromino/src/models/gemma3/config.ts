import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import { UnsupportedError } from '../../util/errors.ts';
import { activationFromConfig } from '../activations.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig, slidingWindow } from '../decoder/read_config.ts';
import { layerTypesFromConfig } from '../layer_types.ts';
import { ropesByLayerType } from '../rope.ts';

/**
 * Norms before and behind every projection, embeddings scaled by the root of their size, and five layers with a window for one that sees
 * everything, each kind with a rotation of its own. **Source** transformers, Gemma3TextConfig, Gemma3DecoderLayer.
 */
export function readGemma3Config(config: ConfigReader): DecoderConfig {
  requirePlainScores(config);
  const attentionBias = config.boolean('attention_bias', { default: false });
  const maxPositions = config.integer('max_position_embeddings', { default: 131_072, min: 1 });
  const hidden = config.integer('hidden_size', { default: 2304, min: 1 });
  const pattern = config.integer('sliding_window_pattern', { default: 6, min: 1 });
  const window = slidingWindow(config);
  const thetas = {
    full_attention: config.number('rope_theta', { default: 1e6, min: 1e-3 }),
    sliding_attention: config.number('rope_local_base_freq', { default: 1e4, min: 1e-3 }),
  };
  const ropes = ropesByLayerType(config, maxPositions, thetas, ['full_attention']);
  const activation = config.string('hidden_activation', { default: 'gelu_pytorch_tanh' });
  const decoder = readDecoderConfig(
    config,
    {
      vocab_size: 262_208,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      max_position_embeddings: maxPositions,
      rms_norm_eps: 1e-6,
      rope_theta: thetas.full_attention,
      eos_token_id: 1,
    },
    (numLayers) => {
      const types = layerTypesFromConfig(config, numLayers, (layer) =>
        (layer + 1) % pattern === 0 ? 'full_attention' : 'sliding_attention',
      );
      return {
        queryKeyValueBias: attentionBias,
        outputBias: attentionBias,
        mlpBias: false,
        queryKeyNorm: true,
        subNorms: false,
        windows: types.map((type) => (type === 'sliding_attention' ? window : 0)),
        ropes: types.map((type) => ropes[type]),
        activation: activationFromConfig('hidden_activation', activation),
        outputNorms: true,
        normsAddOne: true,
        embeddingScale: Math.fround(hidden ** 0.5),
        attentionScale: config.number('query_pre_attn_scalar', { default: 256, min: 1e-3 }) ** -0.5,
      };
    },
  );
  return { ...decoder, tieWordEmbeddings: config.boolean('tie_word_embeddings', { default: true }) };
}

/** @throws UnsupportedError for scores that are bent or that look ahead: none of the published text models has them. */
function requirePlainScores(config: ConfigReader): void {
  for (const field of ['final_logit_softcapping', 'attn_logit_softcapping']) {
    if (config.has(field)) throw new UnsupportedError(field, 'only null is supported');
  }
  if (config.boolean('use_bidirectional_attention', { default: false }))
    throw new UnsupportedError('use_bidirectional_attention', 'only false is supported');
}
