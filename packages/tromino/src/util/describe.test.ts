import { describe as suite, expect, it } from 'vitest';
import { describe } from './describe.ts';

suite('describe', () => {
  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    [NaN, 'NaN'],
    [5n, '5n'],
    [Symbol('x'), 'Symbol(x)'],
    ['a\nb', String.raw`"a\nb"`],
    ['x'.repeat(100), `"${'x'.repeat(57)}..."`],
    [[1, 2], 'a list of 2'],
    [Int32Array.of(1), 'a value of type Int32Array'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [() => 1, 'a function'],
  ])('shows %o', (value, text) => {
    expect(describe(value)).toBe(text);
  });
});
