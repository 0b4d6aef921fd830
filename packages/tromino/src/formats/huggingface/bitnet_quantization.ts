import { UnsupportedError } from '../../util/errors.ts';
import type { ConfigReader } from './config_reader.ts';

/** How a BitNet checkpoint's linear layers are stored and computed. */
export interface BitNetQuantization {
  /** `autobitlinear` multiplies by its scales, and its bias too where it is offline; `bitlinear` divides. */
  readonly linearClass: 'autobitlinear' | 'bitlinear';
  /** `offline`: packed codes and scales are stored. `online`: floats are, and they are rounded when they are used. */
  readonly mode: 'offline' | 'online';
  /** Epsilon of the norm before each layer's rounding; undefined where there is none. */
  readonly normEpsilon: number | undefined;
  /** Whether a module is left as it was. */
  isDense(module: string): boolean;
}

/** Left dense where the config names none: the heads. **Source** transformers, quantizers/base.py, `get_keys_to_not_convert`. */
const heads = ['lm_head', 'score', 'classifier', 'qa_outputs'];

/**
 * Reads a `quantization_config` of `quant_method` "bitnet".
 *
 * **Source** transformers, utils/quantization_config.py, `BitNetQuantConfig`.
 * @throws UnsupportedError for another linear class or mode.
 */
export function readBitNetQuantization(config: ConfigReader): BitNetQuantization {
  const linearClass = choice(config, 'linear_class', ['bitlinear', 'autobitlinear']);
  const mode = choice(config, 'quantization_mode', ['offline', 'online']);
  const hasNorm = config.boolean('use_rms_norm', { default: false });
  const epsilon = config.number('rms_norm_eps', { default: 1e-6, min: 0 });
  const patterns = (config.optionalStrings('modules_to_not_convert') ?? heads).map(modulePattern);
  return {
    linearClass,
    // A BitLinear has nothing but packed codes, whatever the mode says.
    mode: linearClass === 'bitlinear' ? 'offline' : mode,
    normEpsilon: hasNorm ? epsilon : undefined,
    isDense: (module) => patterns.some((matches) => matches(module)),
  };
}

/** @param choices the first is what a field that is left out stands for. */
function choice<Name extends string>(
  config: ConfigReader,
  field: string,
  choices: readonly [Name, ...Name[]],
): Name {
  const value = config.string(field, { default: choices[0] });
  const known = choices.find((name) => name === value);
  if (known !== undefined) return known;
  throw new UnsupportedError(
    `quantization_config.${field}`,
    `"${value}" is not known; known are ${choices.join(', ')}`,
  );
}

/**
 * Whether a module's name begins with the pattern, as a regular expression, or ends with it as plain text.
 * **Source** transformers, quantizers/quantizers_utils.py, `should_convert_module`.
 */
function modulePattern(pattern: string): (module: string) => boolean {
  const start = expression(pattern);
  return (module) => module.endsWith(pattern) || (start?.test(module) ?? module.startsWith(pattern));
}

/** Undefined where Python's syntax is not JavaScript's. */
function expression(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${pattern})`);
  } catch {
    return undefined;
  }
}
