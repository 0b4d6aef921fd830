import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../io/checkpoint_files.ts';
import { FormatError, SourceError } from '../util/errors.ts';
import { findDuplicateKey, parseJsonObject, readJson, requireJson, setMember } from './json.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('parseJsonObject', () => {
  it('takes a byte order mark', () => {
    expect(parseJsonObject('c', bytesOf('\ufeff{"a": 1}'))).toEqual({ a: 1 });
  });

  it('takes the numbers that Python writes, and leaves text alone that looks like them', () => {
    const text = '{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN, \\"Infinity", "d": "\\\\", "NaN": 1}';
    expect(parseJsonObject('c', bytesOf(text))).toEqual({
      a: NaN,
      b: [Infinity, -Infinity],
      c: 'NaN, "Infinity',
      d: '\\',
      NaN: 1,
    });
  });

  it.each([
    ['an HTML page', '<!DOCTYPE html>\n<html>', 'c.json: expected JSON, found an HTML or XML page'],
    ['a page without a doctype', '  <html lang="en">', 'found an HTML or XML page'],
    ['nothing', '', 'expected JSON, found an empty file'],
    ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1', 'found a Git LFS pointer'],
    ['text that was cut', '{"hidden_size": 64, "na', 'c.json: expected JSON, found SyntaxError'],
    ['a list', '[1]', 'c.json: expected a JSON object, found [1]'],
    ['null', 'null', 'expected a JSON object, found null'],
    ['a misplaced NaN', '{NaN: 1}', 'expected JSON, found SyntaxError'],
  ])('refuses %s', (_, text, message) => {
    const parse = (): unknown => parseJsonObject('c.json', bytesOf(text));
    expect(parse).toThrow(FormatError);
    expect(parse).toThrow(message);
  });

  it('reads and refuses text of any depth and length without running out of stack', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const parse = (text: string): unknown => parseJsonObject('c.json', bytesOf(text));
    expect(() => parse(deep)).toThrow(
      new FormatError('c.json', 'expected a JSON object, found a list nested too deep to show'),
    );
    const long = `"${'\\n'.repeat(5_000_000)}"`;
    expect(parse(`{"a": NaN, "b": ${long}}`)).toMatchObject({ a: NaN });
    expect(() => parse(`{"a": ${long}, x`)).toThrow(FormatError);
    expect(findDuplicateKey(`{${long}: 1, "b": 1, "b": 2}`)).toBe('b');
  });

  it('refuses UTF-16 and bytes that are no text', () => {
    expect(() => parseJsonObject('c', Uint8Array.of(0xff, 0xfe, 0x7b, 0))).toThrow(
      'expected UTF-8 text, found UTF-16',
    );
    expect(() => parseJsonObject('c', Uint8Array.of(0x7b, 0xc3, 0x28))).toThrow(
      'expected UTF-8 text, found other bytes',
    );
  });
});

describe('readJson', () => {
  const files = openCheckpoint(new Map([['a.json', bytesOf('{"a": 1}')]]));

  it('reads a file, and gives nothing for none', async () => {
    expect(await readJson(files, 'a.json')).toEqual({ a: 1 });
    expect(await readJson(files, 'b.json')).toBeUndefined();
  });

  it('says which required file is missing, and where', async () => {
    await expect(requireJson(files, 'b.json')).rejects.toThrow(
      new SourceError('b.json', 'expected this file in 1 files in memory, found none'),
    );
  });
});

describe('findDuplicateKey', () => {
  it.each([
    ['{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]}', undefined],
    ['{"a": 1, "b": 2, "a": 3}', 'a'],
    ['{"x": {"a": 1, "a" : 3}}', 'a'],
    ['{"a": 1, "\\u0061": 3}', 'a'],
    ['{"a": "a", "b": ["a", "a"], "c": "}"}', undefined],
    ['{"a{": 1, "b": "\\"a\\": {", "a": 1}', undefined],
    ['{"x": {}, "y": {"x": 1}, "x": 1}', 'x'],
  ])('finds in %s: %s', (text, expected) => {
    expect(findDuplicateKey(text)).toBe(expected);
  });
});

describe('setMember', () => {
  it.each([
    ['{"a": 2.0}\n', '{"a": 2.0,\n  "q": 7\n}\n'],
    ['{\n  "a": 1e-05,\n  "b": NaN\n}', '{\n  "a": 1e-05,\n  "b": NaN,\n  "q": 7\n}'],
    ['{}', '{\n  "q": 7\n}'],
    ['{"q": null, "a": 1.0}', '{"q": 7, "a": 1.0}'],
    ['{"a": {"q": 1.0}, "q" : {"b": [1, {}], "c": "},"} }', '{"a": {"q": 1.0}, "q" : 7 }'],
    ['{"a": "\\"q\\": null, ", "\\u0071":[1.0, 2]}', '{"a": "\\"q\\": null, ", "\\u0071":7}'],
    ['{"q": "x", "a": "q"}', '{"q": 7, "a": "q"}'],
  ])('sets q in %j and leaves the rest as it is spelled', (text, expected) => {
    expect(setMember(text, 'q', 7)).toBe(expected);
  });

  it('indents what it sets', () => {
    expect(setMember('{"a": 1}', 'q', { b: [] })).toBe('{"a": 1,\n  "q": {\n    "b": []\n  }\n}');
  });
});
