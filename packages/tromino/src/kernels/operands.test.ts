import { describe, expect, it } from 'vitest';
import { ShapeError } from '../util/errors.ts';
import { floatOperand, indexOperand } from './operands.ts';

describe('floatOperand', () => {
  it('gives an operand that is long enough', () => {
    const x = new Float32Array(4);
    expect(floatOperand({ x }, 'x', 3)).toBe(x);
  });

  it.each([
    [{}, 'operand x: expected f32[3], found nothing'],
    [{ x: new Float32Array(2) }, 'operand x: expected f32[3], found f32[2]'],
    [{ x: new Uint32Array(3) }, 'operand x: expected f32[3], found u32[3]'],
  ])('refuses %j', (operands, message) => {
    expect(() => floatOperand(operands, 'x', 3)).toThrow(
      new ShapeError('operand x', 'f32[3]', message.split('found ')[1] ?? ''),
    );
  });
});

describe('indexOperand', () => {
  it('gives an operand that is long enough, and refuses floats', () => {
    const ids = new Uint32Array(4);
    expect(indexOperand({ ids }, 'ids', 4)).toBe(ids);
    expect(() => indexOperand({ ids: new Float32Array(4) }, 'ids', 4)).toThrow(
      'operand ids: expected u32[4], found f32[4]',
    );
  });
});
