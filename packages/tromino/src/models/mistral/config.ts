import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { DecoderConfig } from '../decoder/config.ts';
import { readDecoderConfig, slidingWindow } from '../decoder/read_config.ts';

/** Every layer is windowed unless `sliding_window` is null; left out, it is 4096. **Source** transformers, MistralConfig. */
export function readMistralConfig(config: ConfigReader): DecoderConfig {
  const window = slidingWindow(config);
  return readDecoderConfig(
    config,
    {
      vocab_size: 32_000,
      hidden_size: 4096,
      intermediate_size: 14_336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      head_dim: undefined,
      max_position_embeddings: 131_072,
      rms_norm_eps: 1e-6,
      rope_theta: 10_000,
      eos_token_id: 2,
    },
    (numLayers) => ({
      queryKeyValueBias: false,
      outputBias: false,
      mlpBias: false,
      queryKeyNorm: false,
      subNorms: false,
      windows: Array.from({ length: numLayers }, () => window),
    }),
  );
}
