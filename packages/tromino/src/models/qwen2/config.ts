import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig, windowsFromLayerTypes } from '../decoder/read_config.ts';

/** Query, key and value projections always have biases, the output projection never. **Source** transformers, Qwen2Config, Qwen2Attention. */
export function readQwen2Config(config: ConfigReader): DecoderConfig {
  return readDecoderConfig(
    config,
    {
      vocab_size: 151_936,
      hidden_size: 4096,
      intermediate_size: 22_016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      head_dim: undefined,
      max_position_embeddings: 32_768,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      eos_token_id: undefined,
    },
    (numLayers) => ({
      queryKeyValueBias: true,
      outputBias: false,
      mlpBias: false,
      queryKeyNorm: false,
      subNorms: false,
      windows: windowsFromLayerTypes(config, numLayers),
    }),
  );
}
