import { describe, expect, it } from 'vitest';
import { packBatch } from './batch.ts';

const vocabularySize = 10;

describe('packBatch', () => {
  it('packs rows without padding and points at each last token', () => {
    const { ids, tokens, lastTokens, shape } = packBatch([{ ids: [5, 6, 7] }, { ids: [8] }], vocabularySize);
    expect([...ids]).toEqual([5, 6, 7, 8]);
    expect([...tokens]).toEqual([0, 3, 0, 0, 0, 3, 1, 0, 0, 3, 2, 0, 3, 4, 0, 1]);
    expect([...lastTokens]).toEqual([2, 3]);
    expect(shape).toEqual({ numTokens: 4, numRows: 2, maxRowTokens: 3, numPositions: 3 });
  });

  it('makes the same batch of a row padded left, right, or not at all, also where pad is the end token', () => {
    const plain = packBatch([{ ids: [5, 9, 2] }], vocabularySize);
    const left = packBatch([{ ids: [2, 2, 2, 5, 9, 2], attentionMask: [0, 0, 0, 1, 1, 1] }], vocabularySize);
    const right = packBatch([{ ids: [5, 9, 2, 2, 2, 2], attentionMask: [1, 1, 1, 0, 0, 0] }], vocabularySize);
    expect(left).toEqual(plain);
    expect(right).toEqual(plain);
  });

  it('keeps the gap of a mask with a hole as a gap in the positions', () => {
    const { tokens, shape } = packBatch([{ ids: [1, 2, 3], attentionMask: [1, 0, 1] }], vocabularySize);
    expect([tokens[2], tokens[6]]).toEqual([0, 2]);
    expect(shape).toMatchObject({ numTokens: 2, maxRowTokens: 2, numPositions: 3 });
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
    expect(() => packBatch(rows, vocabularySize)).toThrow(message);
  });
});
