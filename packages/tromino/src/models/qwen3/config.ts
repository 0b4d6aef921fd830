import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig, windowsFromLayerTypes } from '../decoder/read_config.ts';

/** Heads of a size of their own, and norms over each query and key head. **Source** transformers, Qwen3Config, Qwen3Attention. */
export function readQwen3Config(config: ConfigReader): DecoderConfig {
  const attentionBias = config.boolean('attention_bias', { default: false });
  return readDecoderConfig(
    config,
    {
      vocab_size: 151_936,
      hidden_size: 4096,
      intermediate_size: 22_016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      head_dim: 128,
      max_position_embeddings: 32_768,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      eos_token_id: undefined,
    },
    (numLayers) => ({
      queryKeyValueBias: attentionBias,
      outputBias: attentionBias,
      mlpBias: false,
      queryKeyNorm: true,
      subNorms: false,
      windows: windowsFromLayerTypes(config, numLayers),
    }),
  );
}
