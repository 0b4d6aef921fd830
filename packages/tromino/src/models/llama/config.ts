import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig } from '../decoder/read_config.ts';

/** **Source** transformers, LlamaConfig. */
export function readLlamaConfig(config: ConfigReader): DecoderConfig {
  const attentionBias = config.boolean('attention_bias', { default: false });
  return readDecoderConfig(
    config,
    {
      vocab_size: 32_000,
      hidden_size: 4096,
      intermediate_size: 11_008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: undefined,
      head_dim: undefined,
      max_position_embeddings: 2048,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      eos_token_id: 2,
    },
    (numLayers) => ({
      queryKeyValueBias: attentionBias,
      outputBias: attentionBias,
      mlpBias: config.boolean('mlp_bias', { default: false }),
      queryKeyNorm: false,
      subNorms: false,
      windows: Array.from({ length: numLayers }, () => 0),
    }),
  );
}
