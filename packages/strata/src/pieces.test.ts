import { describe, expect, it } from 'vitest';
import { pieceAt, PIECES, shapeAt } from './pieces.ts';
import { POPCOUNT } from './board.ts';

function cellsOf(piece: number, rotation: number): string {
  const { rows, width } = shapeAt(piece, rotation);
  return [...rows]
    .reverse()
    .map((mask) => Array.from({ length: width }, (_, column) => ((mask >> column) & 1 ? '#' : '.')).join(''))
    .join('/');
}

describe('pieces', () => {
  it('are two trominoes and seven tetrominoes, all different under rotation', () => {
    const sizes = PIECES.map((_, index) =>
      shapeAt(index, 0).rows.reduce((sum, mask) => sum + (POPCOUNT[mask] ?? 0), 0),
    );
    expect(sizes).toEqual([3, 3, 4, 4, 4, 4, 4, 4, 4]);
    const kinds = PIECES.map(
      (_, index) => [0, 1, 2, 3].map((rotation) => cellsOf(index, rotation)).sort()[0],
    );
    expect(new Set(kinds).size).toBe(9);
    expect(new Set(PIECES.map(({ letter }) => letter)).size).toBe(9);
  });

  it('turn clockwise', () => {
    expect([0, 1, 2, 3].map((rotation) => cellsOf(4, rotation))).toEqual([
      '#../###',
      '##/#./#.',
      '###/..#',
      '.#/.#/##',
    ]);
  });

  it('name the first rotation of each distinct shape', () => {
    expect(PIECES.map(({ canonical }) => canonical.join(''))).toEqual([
      '0123',
      '0101',
      '0123',
      '0000',
      '0123',
      '0123',
      '0101',
      '0101',
      '0101',
    ]);
  });

  it('know the lowest cell of each column', () => {
    expect(shapeAt(7, 0).bottoms).toEqual([0, 0, 1]);
    expect(shapeAt(2, 2).bottoms).toEqual([1, 0, 1]);
  });

  it('refuse an index that is none', () => {
    expect(() => pieceAt(9)).toThrow('piece index: expected 0…8, found 9');
    expect(() => shapeAt(0, 4)).toThrow(RangeError);
  });
});
