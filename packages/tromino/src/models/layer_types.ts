import type { ConfigReader } from '../formats/huggingface/config_reader.ts';
import { FormatError } from '../util/errors.ts';

/** Whether a layer's attention sees the whole row, or a window around the token. */
export type LayerType = 'full_attention' | 'sliding_attention';

/**
 * The kind of each layer, as `layer_types` lists them.
 * @param fallback what a layer is where the config has no list.
 * @throws FormatError for a list of another length or another kind.
 */
export function layerTypesFromConfig(
  config: ConfigReader,
  numLayers: number,
  fallback: (layer: number) => LayerType,
): readonly LayerType[] {
  const types = config.optionalStrings('layer_types');
  if (!types) return Array.from({ length: numLayers }, (_, layer) => fallback(layer));
  if (types.length !== numLayers) {
    throw new FormatError(config.file, `layer_types: expected ${numLayers} entries, found ${types.length}`);
  }
  return types.map((type) => {
    if (type === 'full_attention' || type === 'sliding_attention') return type;
    throw new FormatError(config.file, `layer_types: expected full_attention or sliding_attention, found "${type}"`);
  });
}
