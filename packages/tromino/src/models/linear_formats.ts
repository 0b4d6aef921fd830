import { readBitNetQuantization, type BitNetQuantization } from '../formats/huggingface/bitnet_quantization.ts';
import { checkBitsandbytesConfig } from '../formats/huggingface/bitsandbytes.ts';
import type { ConfigReader } from '../formats/huggingface/config_reader.ts';
import type { Nf4Matrix, WeightIndex } from '../formats/weight_index.ts';
import { UnsupportedError } from '../util/errors.ts';

/** What of a checkpoint's projections is no plain floats. */
export interface LinearFormats {
  /** The matrices that are stored in NF4, by the names of their tensors: the tensors tell. */
  readonly nf4: ReadonlyMap<string, Nf4Matrix>;
  /** How projections are ternary, where the config says that they are. */
  readonly bitnet: BitNetQuantization | undefined;
}

/**
 * Reads what the config says of quantisation, and how it goes with the tensors.
 * @throws UnsupportedError for a method that cannot be read here.
 */
export function readLinearFormats(config: ConfigReader, index: WeightIndex): LinearFormats {
  const { nf4 } = index;
  const quantization = config.optionalObject('quantization_config');
  if (!quantization) return { nf4, bitnet: undefined };
  const method = quantization.string('quant_method', { default: 'bitsandbytes' });
  switch (method) {
    case 'bitsandbytes':
      checkBitsandbytesConfig(quantization, index);
      return { nf4, bitnet: undefined };
    case 'bitnet':
      return { nf4, bitnet: readBitNetQuantization(quantization) };
    default:
      throw new UnsupportedError('quantization_config', `checkpoints quantised by "${method}" are not supported`);
  }
}
