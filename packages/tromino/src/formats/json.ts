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
  if (typeof value === 'number') return String(value);
  const text = stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** Parsing has no depth limit, writing has the call stack's. */
function stringify(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? 'a list nested too deep to show' : 'an object nested too deep to show';
  }
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

/** Reads a JSON file whose root is a list; `undefined` when there is none. @throws FormatError when it is no such file. */
export async function readJsonList(
  files: CheckpointFiles,
  name: string,
  signal?: AbortSignal,
): Promise<readonly JsonValue[] | undefined> {
  const source = await files.open(name, signal);
  if (!source) return undefined;
  const value = parseJson(name, decodeText(name, await source.read(0, source.sizeBytes, signal)));
  if (Array.isArray(value)) return value as readonly JsonValue[];
  throw new FormatError(name, `expected a JSON list, found ${describeJson(value)}`);
}

/** Reads a JSON file that the checkpoint must have. @throws SourceError when there is none. */
export async function requireJson(
  files: CheckpointFiles,
  name: string,
  signal?: AbortSignal,
): Promise<JsonObject> {
  const json = await readJson(files, name, signal);
  return json ?? throwMissing(files, name);
}

/** The text of a file that the checkpoint must have. @throws SourceError when there is none, FormatError when it is no UTF-8. */
export async function requireText(
  files: CheckpointFiles,
  name: string,
  signal?: AbortSignal,
): Promise<string> {
  const source = (await files.open(name, signal)) ?? throwMissing(files, name);
  return decodeText(name, await source.read(0, source.sizeBytes, signal));
}

function throwMissing(files: CheckpointFiles, name: string): never {
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

/**
 * One past the closing quote of the JSON string that opens at `begin`. A loop and no pattern: one would need a stack as deep as the
 * string is long, and downloaded text may hold one of any length.
 */
function endOfString(text: string, begin: number): number {
  let end = begin + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** Key of an object that stands for NaN in JSON. An object, because as an object's key NaN must stay an error. */
const notANumber = '\u0000NaN';

/** Python's json module writes and reads `NaN`, `Infinity` and `-Infinity`, which JSON lacks. */
function parsePythonJson(text: string): JsonValue | undefined {
  const literals: Readonly<Record<string, string>> = {
    NaN: JSON.stringify({ [notANumber]: 0 }),
    Infinity: '1e999',
    '-Infinity': '-1e999',
  };
  const pattern = /"|-?\bInfinity\b|\bNaN\b/g;
  let json = '';
  let copied = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [token] = match;
    if (token === '"') pattern.lastIndex = endOfString(text, match.index);
    else {
      json += text.slice(copied, match.index) + (literals[token] ?? token);
      copied = pattern.lastIndex;
    }
  }
  json += text.slice(copied);
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
  const pattern = /["{}]/g;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [token] = match;
    if (token === '{') scopes.push(new Set());
    else if (token === '}') scopes.pop();
    if (token !== '"') continue;
    const end = endOfString(text, match.index);
    pattern.lastIndex = end;
    if (!isFollowedByColon(text, end)) continue;
    const key = JSON.parse(text.slice(match.index, end)) as string;
    const names = scopes.at(-1);
    if (names?.has(key)) return key;
    names?.add(key);
  }
  return undefined;
}

function isFollowedByColon(text: string, from: number): boolean {
  const space = /\s*/y;
  space.lastIndex = from;
  space.test(text);
  return text[space.lastIndex] === ':';
}

/**
 * Sets a member of the text's root object and leaves every other character as it stands: `JSON.stringify` would write `2.0` as `2`, and the
 * two are not the same to Python.
 *
 * @param text valid JSON whose root is an object
 */
export function setMember(text: string, name: string, value: JsonValue): string {
  const json = JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');
  const { value: known, end } = findRootMember(text, name);
  if (known) return text.slice(0, known.start) + json + text.slice(known.end);
  const before = text.slice(0, end).trimEnd();
  return `${before}${before.endsWith('{') ? '' : ','}\n  ${JSON.stringify(name)}: ${json}\n${text.slice(end)}`;
}

/** Where in the text the value of a root's member stands, if it has that member, and where the root ends. */
function findRootMember(
  text: string,
  name: string,
): { readonly value: { readonly start: number; readonly end: number } | undefined; readonly end: number } {
  let value: { start: number; end: number } | undefined;
  let start: number | undefined;
  let depth = 0;
  const pattern = /["{}[\],]/g;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { 0: token, index } = match;
    if ('{['.includes(token)) depth++;
    if ('}]'.includes(token)) depth--;
    // The member ends at the root's next comma, or with the root.
    if (start !== undefined && (depth === 0 || (depth === 1 && token === ','))) {
      value = { start, end: start + text.slice(start, index).trimEnd().length };
      start = undefined;
    }
    if (depth === 0) return { value, end: index };
    if (token !== '"') continue;
    pattern.lastIndex = endOfString(text, index);
    if (depth !== 1 || start !== undefined || !isFollowedByColon(text, pattern.lastIndex)) continue;
    if (JSON.parse(text.slice(index, pattern.lastIndex)) === name) {
      start = text.indexOf(':', pattern.lastIndex) + 1;
      while (/\s/.test(text.charAt(start))) start++;
    }
  }
  return { value, end: text.length };
}
