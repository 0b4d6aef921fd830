import { FormatError, UnsupportedError } from '../util/errors.ts';

/** A part of `tokenizer.json`: its type, and settings that depend on it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Turns a pattern of the definition's dialect into a global one of JavaScript's. */
export type CompilePattern = (expression: string) => RegExp;

/** What reading a definition needs to know. */
export interface DefinitionContext {
  /** File name for messages. */
  readonly file: string;
  readonly compilePattern: CompilePattern;
}

/** Whether a value is an object, not a list or null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A setting that is true or false. @throws FormatError for anything else; null is as good as absent. */
export function flag(context: DefinitionContext, fields: Fields, name: string, absent: boolean): boolean {
  const value = fields[name] ?? absent;
  if (typeof value === 'boolean') return value;
  throw wrongField(context, fields, name, 'true or false');
}

/** A setting that is text. @throws FormatError for anything else, and where it is absent and has no default. */
export function text(context: DefinitionContext, fields: Fields, name: string, absent?: string): string {
  const value = fields[name] ?? absent;
  if (typeof value === 'string') return value;
  throw wrongField(context, fields, name, 'text');
}

/** A list of parts, of a `Sequence`. @throws FormatError for anything else. */
export function parts(context: DefinitionContext, fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  if (Array.isArray(value) && value.every(isFields)) return value;
  throw wrongField(context, fields, name, 'a list of objects');
}

/** A pattern: `{ "String": … }` or `{ "Regex": … }`. @throws FormatError for anything else, and for a regular expression that is none. */
export function pattern(context: DefinitionContext, fields: Fields): RegExp {
  const value = fields.pattern;
  if (isFields(value) && typeof value.String === 'string') return literalPattern(value.String);
  if (!isFields(value) || typeof value.Regex !== 'string')
    throw wrongField(context, fields, 'pattern', 'a String or a Regex');
  try {
    return context.compilePattern(value.Regex);
  } catch (error) {
    throw new FormatError(context.file, `${String(fields.type)}.pattern: ${String(error)}`);
  }
}

/** A pattern that matches exactly this text. */
export function literalPattern(literal: string): RegExp {
  return new RegExp(literal.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gu');
}

/** The error for a setting that makes no sense. */
export function wrongField(
  context: DefinitionContext,
  fields: Fields,
  name: string,
  expected: string,
): FormatError {
  const found = fields[name] === undefined ? 'nothing' : JSON.stringify(fields[name]);
  return new FormatError(
    context.file,
    `${String(fields.type)}.${name}: expected ${expected}, found ${found}`,
  );
}

/** The error for a kind of part that nobody here knows. */
export function unknownPart(context: DefinitionContext, part: string, definition: unknown): UnsupportedError {
  const type = isFields(definition) ? definition.type : definition;
  return new UnsupportedError(`${context.file}, ${part} ${JSON.stringify(type)}`, 'this kind is not known');
}
