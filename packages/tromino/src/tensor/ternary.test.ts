import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundHalfEven } from './round.ts';
import { packedTernaryCode, packTernary, quantizeTernary, unpackTernary } from './ternary.ts';

describe('roundHalfEven', () => {
  it('rounds to the nearest whole number, ties to even', () => {
    const values = [0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 127.5, -128.5, 3.7];
    expect(values.map(roundHalfEven).map((value) => value + 0)).toEqual([0, 2, 2, 0, -2, 0, 128, -128, 4]);
  });
});

describe('unpackTernary', () => {
  it('reads four strips of rows from the fields of a byte, lowest first', () => {
    // Row 0 in the lowest field: code 2 - 1, row 1: 0 - 1, row 2: 1 - 1, row 3: 2 - 1.
    expect([...unpackTernary('w', Uint8Array.of(0b10_01_00_10), 4, 1).codes]).toEqual([1, -1, 0, 1]);
    const { codes } = unpackTernary('w', Uint8Array.of(0b00_00_00_10, 0b00_00_10_00, 0, 0b01_00_00_00), 8, 2);
    // Strips of two rows by two columns.
    expect([...codes]).toEqual([1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0]);
  });

  it('refuses a field of 3 and names its place', () => {
    expect(() => unpackTernary('model.q.weight', Uint8Array.of(0, 0, 0b11_0000, 0), 8, 2)).toThrow(
      'tensor model.q.weight: row 5, column 0: expected a ternary code of 0, 1 or 2, found 3',
    );
  });
});

describe('quantizeTernary', () => {
  it('divides by the mean magnitude and rounds, ties to even', () => {
    // Mean 1: 0.5 is a tie and goes to 0, 1.5 goes to 2 and is clamped.
    const { matrix, scale } = quantizeTernary(Float32Array.of(0.5, -1.5, 1.5, -0.5, 0.75, -1.25), 2, 3);
    expect([...matrix.codes]).toEqual([0, -1, 1, 0, 1, -1]);
    expect(scale).toBe(1);
  });

  it('gives zeros and the smallest scale for a matrix of zeros', () => {
    const { matrix, scale } = quantizeTernary(new Float32Array(4), 1, 4);
    expect([...matrix.codes]).toEqual([0, 0, 0, 0]);
    // f32(1 / f32(1 / f32(1e-5))), as transformers has it.
    expect(scale).toBe(0.000009999999747378752);
  });
});

describe('packTernary', () => {
  it('puts 16 codes of a row in a word, four apart in each byte', () => {
    const codes = Int8Array.from({ length: 17 }, (_, i) => (i === 1 || i === 16 ? 1 : i === 4 ? -1 : 0));
    const words = packTernary([{ rows: 1, columns: 17, codes }], 17);
    // Fields of 1 everywhere; element 1 is the lowest field of byte 1, element 4 the second field of byte 0.
    expect([...words]).toEqual([0x55555651, 0x55555556]);
  });

  it('lays stacked rows side by side, so that every code is found again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.constantFrom(-1, 0, 1)),
        (columns, partRows, stream) => {
          const matrices = partRows.map((rows) => ({
            rows,
            columns,
            codes: Int8Array.from({ length: rows * columns }, () => stream.next().value as number),
          }));
          const numRows = partRows.reduce((sum, rows) => sum + rows, 0);
          const words = packTernary(matrices, columns);
          const all = matrices.flatMap(({ codes }) => [...codes]);
          const found = all.map((_, i) =>
            packedTernaryCode(words, numRows, Math.floor(i / columns), i % columns),
          );
          expect(found).toEqual(all);
        },
      ),
    );
  });
});
