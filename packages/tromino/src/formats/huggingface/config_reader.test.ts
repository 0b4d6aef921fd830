import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../io/checkpoint_files.ts';
import { FormatError } from '../../util/errors.ts';
import type { JsonObject } from '../json.ts';
import { ConfigReader, readConfig } from './config_reader.ts';

const reader = (json: JsonObject): ConfigReader => new ConfigReader('config.json', json);

describe('ConfigReader', () => {
  const config = reader({
    layers: 3,
    eps: 1e-6,
    tied: false,
    act: 'silu',
    nothing: null,
    rope: { theta: 5e5, factors: [1, 2.5] },
    names: ['a', 'b'],
  });

  it('reads typed fields', () => {
    expect(config.integer('layers')).toBe(3);
    expect(config.number('eps')).toBe(1e-6);
    expect(config.boolean('tied', { default: true })).toBe(false);
    expect(config.string('act')).toBe('silu');
    expect(config.object('rope').number('theta')).toBe(5e5);
    expect(config.object('rope').optionalNumbers('factors')).toEqual([1, 2.5]);
    expect(config.optionalStrings('names')).toEqual(['a', 'b']);
  });

  it('takes null for a field that is left out', () => {
    for (const field of ['nothing', 'absent', 'toString']) {
      expect(config.has(field)).toBe(false);
      expect(config.integer(field, { default: 7 })).toBe(7);
      expect(config.number(field, { default: 0.5 })).toBe(0.5);
      expect(config.boolean(field, { default: true })).toBe(true);
      expect(config.string(field, { default: 'x' })).toBe('x');
      expect(config.optionalInteger(field)).toBeUndefined();
      expect(config.optionalObject(field)).toBeUndefined();
      expect(config.tokenIds(field)).toEqual([]);
    }
  });

  it.each<[string, () => unknown, string]>([
    ['a missing integer', () => config.integer('absent'), 'absent: expected a whole number, found nothing'],
    ['a missing object', () => config.object('nothing'), 'nothing: expected an object, found null'],
    ['text for an integer', () => config.integer('act'), 'act: expected a whole number, found "silu"'],
    [
      'a fraction for an integer',
      () => config.integer('eps'),
      'eps: expected a whole number, found 0.000001',
    ],
    [
      'an integer too small',
      () => config.integer('layers', { min: 4 }),
      'layers: expected a whole number, at least 4, found 3',
    ],
    [
      'a number too large',
      () => config.number('eps', { max: 0 }),
      'eps: expected a number, at most 0, found 0.000001',
    ],
    ['text for true', () => config.boolean('act'), 'act: expected true or false, found "silu"'],
    ['a number for text', () => config.string('layers'), 'layers: expected a string, found 3'],
    [
      'a number in a nested object',
      () => config.object('rope').string('theta'),
      'rope.theta: expected a string, found 500000',
    ],
    [
      'a list of others',
      () => config.optionalNumbers('names'),
      'names: expected a list of numbers, found ["a","b"]',
    ],
    ['NaN', () => reader({ eps: NaN }).number('eps'), 'eps: expected a number, found NaN'],
    [
      'a negative id',
      () => reader({ eos: [1, -2] }).tokenIds('eos'),
      'eos: expected token ids, found [1,-2]',
    ],
  ])('refuses %s', (_, readField, message) => {
    expect(readField).toThrow(new FormatError('config.json', message));
  });

  it('reads token ids in all their forms', () => {
    expect(reader({ eos: 2 }).tokenIds('eos')).toEqual([2]);
    expect(reader({ eos: [2, 5] }).tokenIds('eos')).toEqual([2, 5]);
  });

  it('orders label names by their index, not as the file does', () => {
    const names = Array.from({ length: 12 }, (_, i) => `c${i}`);
    const entries = names.map((name, i): [string, string] => [String(i), name]);
    const id2label = Object.fromEntries(entries.reverse());
    expect(reader({ id2label, num_labels: 3 }).labelNames()).toEqual(names);
    expect(reader({ num_labels: 3 }).labelNames()).toEqual(['LABEL_0', 'LABEL_1', 'LABEL_2']);
    expect(reader({}).labelNames()).toEqual(['LABEL_0', 'LABEL_1']);
  });

  it('refuses label names with a gap', () => {
    expect(() => reader({ id2label: { 0: 'a', 2: 'b' } }).labelNames()).toThrow(
      'config.json: id2label.1: expected a class name, found nothing',
    );
  });
});

describe('readConfig', () => {
  it('reads config.json, and says when there is none', async () => {
    const content = new TextEncoder().encode('{"model_type": "llama"}');
    expect((await readConfig(openCheckpoint(new Map([['config.json', content]])))).string('model_type')).toBe(
      'llama',
    );
    await expect(readConfig(openCheckpoint(new Map()))).rejects.toThrow('config.json: expected this file');
  });
});
