import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig } from '../decoder/read_config.ts';

/** A squared ReLU in the gated layer, and norms before the output and down projections. **Source** transformers, BitNetConfig, BitNetAttention, BitNetMLP. */
export function readBitNetConfig(config: ConfigReader): DecoderConfig {
  const attentionBias = config.boolean('attention_bias', { default: false });
  return readDecoderConfig(
    config,
    {
      vocab_size: 128_256,
      hidden_size: 2560,
      intermediate_size: 6912,
      num_hidden_layers: 30,
      num_attention_heads: 20,
      num_key_value_heads: 5,
      head_dim: undefined,
      hidden_act: 'relu2',
      max_position_embeddings: 2048,
      rms_norm_eps: 1e-5,
      rope_theta: 500_000,
      eos_token_id: 128_001,
    },
    (numLayers) => ({
      queryKeyValueBias: attentionBias,
      outputBias: attentionBias,
      mlpBias: false,
      queryKeyNorm: false,
      subNorms: true,
      windows: Array.from({ length: numLayers }, () => 0),
    }),
  );
}
