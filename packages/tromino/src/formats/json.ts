import { FormatError, SourceError } from '../util/errors.ts';
import type { CheckpointFiles } from '../io/checkpoint_files.ts';

/** What JSON text can hold. Numbers may be NaN or infinite, since Python writes them so. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is an object, not a list, null or a plain value. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as messages show it: short, on one line. */
export function describeJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/**
 * Reads a JSON file of a checkpoint; `undefined` when there is none.
 *
 * @throws FormatError when it is no JSON object: cut short, an HTML page, a Git LFS pointer.
 */
export async function readJson(
  files: CheckpointFiles,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const source = await files.open(name, signal);
  return source && parseJsonObject(name, await source.read(0, source.sizeBytes, signal));
}

/** Reads a JSON file that the checkpoint must have. @throws SourceError when there is none. */
export async function requireJson(
  files: CheckpointFiles,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const json = await readJson(files, name, signal);
  if (json) return json;
  throw new SourceError(name, `expected this file in ${files.description}, found none`);
}

/** Parses UTF-8 JSON whose root is an object. A byte order mark and Python's NaN and Infinity are accepted. */
export function parseJsonObject(file: string, bytes: Uint8Array): JsonObject {
  const value = parseJson(file, decodeText(file, bytes));
  if (isJsonObject(value)) return value;
  throw new FormatError(file, `expected a JSON object, found ${describeJson(value)}`);
}

function decodeText(file: string, bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new FormatError(file, 'expected UTF-8 text, found UTF-16', 0);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError(file, 'expected UTF-8 text, found other bytes');
  }
}

function parseJson(file: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    return parsePythonJson(text) ?? throwNotJson(file, text, error);
  }
}

/** A JSON string, whole: what looks like a token inside one is text. */
const stringPattern = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
/** Key of an object that stands for NaN in JSON. An object, because as an object's key NaN must stay an error. */
const notANumber = '\u0000NaN';

/** Python's json module writes and reads `NaN`, `Infinity` and `-Infinity`, which JSON lacks. */
function parsePythonJson(text: string): JsonValue | undefined {
  const literals: Readonly<Record<string, string>> = {
    NaN: JSON.stringify({ [notANumber]: 0 }),
    Infinity: '1e999',
    '-Infinity': '-1e999',
  };
  const pattern = new RegExp(`${stringPattern}|-?\\bInfinity\\b|\\bNaN\\b`, 'gs');
  const json = text.replace(pattern, (token) => literals[token] ?? token);
  try {
    const revive = (_: string, value: JsonValue): JsonValue => {
      return isJsonObject(value) && Object.hasOwn(value, notANumber) ? NaN : value;
    };
    return JSON.parse(json, revive) as JsonValue;
  } catch {
    return undefined;
  }
}

function throwNotJson(file: string, text: string, error: unknown): never {
  throw new FormatError(file, `expected JSON, found ${recognise(text) ?? String(error)}`);
}

/** Names what commonly stands where a file should be; `undefined` when it is none of these. */
export function recognise(text: string): string | undefined {
  const start = text.trimStart().slice(0, 200);
  if (start === '') return 'an empty file';
  if (/^<(!doctype|html|head|body|\?xml)/i.test(start))
    return 'an HTML or XML page: does the server have this file?';
  if (start.startsWith('version https://git-lfs'))
    return 'a Git LFS pointer: the file itself was not downloaded';
  return undefined;
}

/**
 * Finds a name that an object of the text gives twice: `JSON.parse` keeps the last and says nothing.
 *
 * @param text valid JSON
 */
export function findDuplicateKey(text: string): string | undefined {
  const scopes: Set<string>[] = [];
  const pattern = new RegExp(`(${stringPattern})(\\s*:)?|[{}]`, 'gs');
  for (const [token, literal, colon] of text.matchAll(pattern)) {
    if (token === '{') scopes.push(new Set());
    else if (token === '}') scopes.pop();
    if (literal === undefined || colon === undefined) continue;
    const key = JSON.parse(literal) as string;
    const names = scopes.at(-1);
    if (names?.has(key)) return key;
    names?.add(key);
  }
  return undefined;
}
