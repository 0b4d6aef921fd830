import { describe, expect, it } from 'vitest';
import { must } from '../util/assert.ts';
import { packBatch, rowRange, splitByRow, type BatchRules } from './batch.ts';

const decoder: BatchRules = {
  vocabularySize: 10,
  numTypes: 0,
  positions: { kind: 'from_first_token' },
  maxPositions: 8,
  readsFirstColumn: false,
};
const encoder: BatchRules = { ...decoder, numTypes: 2, positions: { kind: 'from_row_start' } };

describe('packBatch', () => {
  it('packs rows without padding and points at each last token', () => {
    const { ids, tokens, lastTokens, shape } = packBatch([{ ids: [5, 6, 7] }, { ids: [8] }], decoder);
    expect([...ids]).toEqual([5, 6, 7, 8]);
    expect([...tokens]).toEqual([0, 3, 0, 0, 0, 3, 1, 0, 0, 3, 2, 0, 3, 4, 0, 1]);
    expect([...lastTokens]).toEqual([2, 3]);
    expect(shape).toEqual({ numTokens: 4, numRows: 2, maxRowTokens: 3, numPositions: 3 });
  });

  it('makes the same batch of a row padded left, right, or not at all, also where pad is the end token', () => {
    const plain = packBatch([{ ids: [5, 9, 2] }], decoder);
    const left = packBatch([{ ids: [2, 2, 2, 5, 9, 2], attentionMask: [0, 0, 0, 1, 1, 1] }], decoder);
    const right = packBatch([{ ids: [5, 9, 2, 2, 2, 2], attentionMask: [1, 1, 1, 0, 0, 0] }], decoder);
    expect(left).toEqual(plain);
    expect(right).toEqual(plain);
  });

  it('keeps the gap of a mask with a hole as a gap in the positions', () => {
    const { tokens, shape } = packBatch([{ ids: [1, 2, 3], attentionMask: [1, 0, 1] }], decoder);
    expect([tokens[2], tokens[6]]).toEqual([0, 2]);
    expect(shape).toMatchObject({ numTokens: 2, maxRowTokens: 2, numPositions: 3 });
  });

  it('counts padding on the left as positions, where the family does', () => {
    const left = { ids: [0, 0, 5, 9], attentionMask: [0, 0, 1, 1] };
    expect([...packBatch([left], encoder).positions]).toEqual([2, 3]);
    expect([...packBatch([left], decoder).positions]).toEqual([0, 1]);
    expect(packBatch([left], encoder).shape.numPositions).toBe(4);
  });

  it('counts from behind the padding id and passes over it, where the family does', () => {
    const rules: BatchRules = { ...encoder, positions: { kind: 'past_padding', paddingId: 1 } };
    const left = { ids: [1, 1, 5, 9], attentionMask: [0, 0, 1, 1] };
    expect([...packBatch([left], rules).positions]).toEqual([2, 3]);
    expect([...packBatch([{ ids: [5, 1, 9] }], rules).positions]).toEqual([2, 1, 3]);
  });

  it('keeps a padded first column as a query that nothing sees, where the model reads it', () => {
    const rules = { ...encoder, readsFirstColumn: true };
    const left = { ids: [3, 0, 5, 9], attentionMask: [0, 0, 1, 1], tokenTypes: [1, 0, 0, 1] };
    const batch = packBatch([{ ids: [7] }, left], rules);
    expect([...batch.ids]).toEqual([7, 3, 5, 9]);
    expect([...batch.tokenTypes]).toEqual([0, 1, 0, 1]);
    expect([...batch.positions]).toEqual([0, 0, 2, 3]);
    expect([...batch.tokens.subarray(4)]).toEqual([2, 4, 0, 1, 2, 4, 2, 1, 2, 4, 3, 1]);
    expect([[...batch.firstTokens], [...batch.lastTokens]]).toEqual([
      [0, 1],
      [0, 3],
    ]);
    expect(batch.shape).toEqual({ numTokens: 4, numRows: 2, maxRowTokens: 2, numPositions: 4 });
    expect(rowRange(batch, 1)).toEqual({ start: 2, end: 4 });
    expect([...packBatch([left], encoder).ids]).toEqual([5, 9]);
  });

  it.each([
    [{ ids: [1], tokenTypes: [2] }, 'input.tokenTypes[0]: expected an integer from 0 to 1, found 2'],
    [{ ids: [1], tokenTypes: [] }, 'input.tokenTypes: expected 1 values, one for each id, found 0'],
    [
      { ids: new Array<number>(9).fill(1), attentionMask: [0, 0, 0, 0, 0, 0, 0, 0, 1] },
      'input.ids[8]: expected a position from 0 to 7, found 8, padding on the left included',
    ],
  ])('refuses %j of an encoder', (row, message) => {
    expect(() => packBatch([row], encoder)).toThrow(message);
  });

  it('knows no token types but 0 of a model without any', () => {
    expect(packBatch([{ ids: [1], tokenTypes: [0] }], decoder).shape.numTokens).toBe(1);
    expect(() => packBatch([{ ids: [1], tokenTypes: [1] }], decoder)).toThrow(
      'input.tokenTypes[0]: expected 0, found 1',
    );
  });

  it.each([
    [[{ ids: [] }], 'input: expected at least one token that the attention mask marks real, found none'],
    [[{ ids: [3, 10] }], 'input.ids[1]: expected an integer from 0 to 9, found 10'],
    [[{ ids: [-1] }], 'input.ids[0]: expected an integer from 0 to 9, found -1'],
    [[{ ids: [1.5] }], 'input.ids[0]: expected an integer from 0 to 9, found 1.5'],
    [
      [{ ids: [1, 2], attentionMask: [1] }],
      'input.attentionMask: expected 2 values, one for each id, found 1',
    ],
    [[{ ids: [1], attentionMask: [2] }], 'input.attentionMask[0]: expected 0 or 1, found 2'],
    [[{ ids: [1] }, { ids: [1], attentionMask: [0] }], 'inputs[1]: expected at least one token'],
    [[], 'inputs: expected at least one row, found none'],
  ])('refuses %j', (rows, message) => {
    expect(() => packBatch(rows, decoder)).toThrow(message);
  });
});

describe('a batch whose rows hold questions', () => {
  const rules: BatchRules = { ...decoder, questionMarker: 4 };
  // Two rows of one question and of two; the second begins with a column of padding.
  const rows = [
    { ids: [2, 4, 9, 3, 8], context: { start: 4, end: 5 } },
    { ids: [0, 2, 4, 4, 3, 8, 7], attentionMask: [0, 1, 1, 1, 1, 1, 1], context: { start: 5, end: 7 } },
  ];
  const batch = packBatch(rows, rules);

  it('says where each question stands, where its row does, and where its pairs begin', () => {
    expect(batch.shape).toEqual({
      numTokens: 11,
      numRows: 2,
      maxRowTokens: 6,
      numPositions: 6,
      numQuestions: 3,
      numPairs: 17,
    });
    expect([...batch.questions]).toEqual([1, 0, 5, 0, 6, 5, 6, 5, 7, 5, 6, 11]);
    // Where the text is among the pairs of each question, the pair with the row's first token, and that token.
    expect([...batch.contexts]).toEqual([4, 5, 0, 0, 9, 11, 5, 5, 15, 17, 11, 5]);
  });

  it('says where answers begin and end, counted in real tokens from the first of the row', () => {
    const boundaries = [0, 1, 2, 3, 4, 5, 6].map((column) => ({ start: column, end: column + 1 }));
    boundaries[5] = boundaries[6] = { start: 5, end: 7 };
    const packed = packBatch([...rows.slice(0, 1), { ...must(rows[1], 'row'), boundaries }], rules);
    const own = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5];
    expect([...packed.boundaries]).toEqual([...own, 0, 1, 1, 2, 2, 3, 3, 4, 4, 6, 4, 6]);
  });

  it('gives each row the vectors of its questions and of its pairs', () => {
    const split = (length: number, per: 'question' | 'pair' | 'token' | 'row'): number[][] =>
      splitByRow(
        batch,
        Float32Array.from({ length }, (_, i) => i),
        per,
      ).map((row) => [...row]);
    expect(split(6, 'question')).toEqual([
      [0, 1],
      [2, 3, 4, 5],
    ]);
    expect(split(17, 'pair').map((row) => [row.length, row[0]])).toEqual([
      [5, 0],
      [12, 5],
    ]);
    expect(split(11, 'token').map(({ length }) => length)).toEqual([5, 6]);
    expect(split(2, 'row')).toEqual([[0], [1]]);
  });

  it('refuses a row without a question, also where padding has the marker', () => {
    expect(() => packBatch([rows[0] ?? { ids: [] }, { ids: [2, 9, 3] }], rules)).toThrow(
      'inputs[1].ids: expected token 4 before each question, found none',
    );
    expect(() => packBatch([{ ids: [4, 2, 3], attentionMask: [0, 1, 1] }], rules)).toThrow(
      'input.ids: expected token 4 before each question, found none',
    );
  });
});
