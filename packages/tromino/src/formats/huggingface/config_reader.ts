import type { CheckpointFiles } from '../../io/checkpoint_files.ts';
import { FormatError } from '../../util/errors.ts';
import { describeJson, isJsonObject, requireJson, requireText } from '../json.ts';
import type { JsonObject, JsonValue } from '../json.ts';

const configFile = 'config.json';

/** Reads a checkpoint's `config.json`. @throws SourceError when there is none, FormatError when it is no JSON object. */
export async function readConfig(files: CheckpointFiles, signal?: AbortSignal): Promise<ConfigReader> {
  return new ConfigReader(configFile, await requireJson(files, configFile, signal));
}

/** The text of a checkpoint's `config.json`, as it stands. @throws SourceError when there is none, FormatError when it is no UTF-8. */
export function readConfigText(files: CheckpointFiles, signal?: AbortSignal): Promise<string> {
  return requireText(files, configFile, signal);
}

/** Names are made up for this many classes at most: a count that is nonsense must not fill the memory. */
const mostLabels = 1_000_000;

/** What a number must be besides a number. */
export interface NumberRule {
  /** Stands for a field that is left out; without one, leaving it out is an error. */
  readonly default?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/**
 * Takes typed fields out of a configuration. Every error names the file, the field with its path, what was expected and what was found.
 * `null` counts as left out: Python writes `None` so.
 */
export class ConfigReader {
  readonly file: string;
  readonly json: JsonObject;
  readonly #path: string;

  constructor(file: string, json: JsonObject, path = '') {
    this.file = file;
    this.json = json;
    this.#path = path;
  }

  /** Whether the field is there and not `null`. */
  has(field: string): boolean {
    return this.#value(field) !== undefined;
  }

  integer(field: string, rule: NumberRule = {}): number {
    return this.optionalInteger(field, rule) ?? rule.default ?? this.fail(field, integerText(rule));
  }

  optionalInteger(field: string, rule: NumberRule = {}): number | undefined {
    const value = this.#value(field);
    if (value === undefined || (Number.isSafeInteger(value) && within(value, rule)))
      return value as number | undefined;
    return this.fail(field, integerText(rule));
  }

  number(field: string, rule: NumberRule = {}): number {
    return this.optionalNumber(field, rule) ?? rule.default ?? this.fail(field, numberText(rule));
  }

  /** NaN and infinities are refused: no field that is computed with may be one. */
  optionalNumber(field: string, rule: NumberRule = {}): number | undefined {
    const value = this.#value(field);
    if (value === undefined || (Number.isFinite(value) && within(value, rule)))
      return value as number | undefined;
    return this.fail(field, numberText(rule));
  }

  boolean(field: string, rule: { readonly default?: boolean } = {}): boolean {
    return this.optionalBoolean(field) ?? rule.default ?? this.fail(field, 'true or false');
  }

  optionalBoolean(field: string): boolean | undefined {
    const value = this.#value(field);
    return value === undefined || typeof value === 'boolean' ? value : this.fail(field, 'true or false');
  }

  string(field: string, rule: { readonly default?: string } = {}): string {
    return this.optionalString(field) ?? rule.default ?? this.fail(field, 'a string');
  }

  optionalString(field: string): string | undefined {
    const value = this.#value(field);
    return value === undefined || typeof value === 'string' ? value : this.fail(field, 'a string');
  }

  /** A nested object, to be read in the same way. */
  object(field: string): ConfigReader {
    return this.optionalObject(field) ?? this.fail(field, 'an object');
  }

  optionalObject(field: string): ConfigReader | undefined {
    const value = this.#value(field);
    if (value === undefined) return undefined;
    return isJsonObject(value)
      ? new ConfigReader(this.file, value, this.#name(field))
      : this.fail(field, 'an object');
  }

  optionalNumbers(field: string): readonly number[] | undefined {
    const value = this.#value(field);
    const valid =
      value === undefined || (Array.isArray(value) && value.every((item) => Number.isFinite(item)));
    return valid ? (value as readonly number[] | undefined) : this.fail(field, 'a list of numbers');
  }

  optionalStrings(field: string): readonly string[] | undefined {
    const value = this.#value(field);
    const valid =
      value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
    return valid ? value : this.fail(field, 'a list of strings');
  }

  /** One id, a list of ids, or none: `eos_token_id` comes in all three forms. */
  tokenIds(field: string): readonly number[] {
    const value = this.#value(field);
    if (value === undefined) return [];
    const ids = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    const valid = ids.every((id) => Number.isSafeInteger(id) && (id as number) >= 0);
    return valid ? (ids as readonly number[]) : this.fail(field, 'token ids');
  }

  /**
   * Class names in the order of the head's outputs: `id2label`, else `LABEL_i` for `num_labels`, else the two of the library's default.
   *
   * **Source** https://github.com/huggingface/transformers, `PreTrainedConfig.__init__`: where both are given, `id2label` decides.
   */
  labelNames(): readonly string[] {
    const labels = this.optionalObject('id2label');
    if (!labels) {
      const count = this.integer('num_labels', { default: 2, min: 1, max: mostLabels });
      return Array.from({ length: count }, (_, i) => `LABEL_${i}`);
    }
    const count = Object.keys(labels.json).length;
    if (count === 0) return this.fail('id2label', 'one name or more');
    return Array.from({ length: count }, (_, i) => {
      const name = labels.json[String(i)];
      return typeof name === 'string' || typeof name === 'number'
        ? String(name)
        : labels.fail(String(i), 'a class name');
    });
  }

  /** @throws FormatError that says what this field should be. */
  fail(field: string, expected: string): never {
    throw new FormatError(
      this.file,
      `${this.#name(field)}: expected ${expected}, found ${describeJson(this.json[field])}`,
    );
  }

  #value(field: string): Exclude<JsonValue, null> | undefined {
    return (Object.hasOwn(this.json, field) ? this.json[field] : undefined) ?? undefined;
  }

  #name(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }
}

function within(value: unknown, { min = -Infinity, max = Infinity }: NumberRule): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

function integerText(rule: NumberRule): string {
  return `a whole number${rangeText(rule)}`;
}

function numberText(rule: NumberRule): string {
  return `a number${rangeText(rule)}`;
}

function rangeText({ min, max }: NumberRule): string {
  return (min === undefined ? '' : `, at least ${min}`) + (max === undefined ? '' : `, at most ${max}`);
}
