import { FormatError, UnsupportedError } from 'tromino';
import { describe, expect, it } from 'vitest';
import { parseGolden } from './golden.ts';

const single = { input_ids: [5, 9], attention_mask: [1, 1], logits: [0.5, -2] };
const batch = {
  batch: true,
  side: 'left',
  input_ids: [
    [0, 5],
    [7, 9],
  ],
  attention_mask: [
    [0, 1],
    [1, 1],
  ],
  logits: [
    [1, 2],
    [3, 4],
  ],
};
const parse = (...cases: unknown[]): ReturnType<typeof parseGolden> => parseGolden({ cases }, 'golden.json');

describe('parseGolden', () => {
  it('reads a single row', () => {
    expect(parse(single)).toEqual([
      {
        output: 'logits',
        rows: [{ ids: [5, 9], attentionMask: [1, 1] }],
        paddingSide: undefined,
        reference: [[0.5, -2]],
        greedyIds: undefined,
      },
    ]);
  });

  it('reads a batch with its masks and its padding side', () => {
    expect(parse(batch)).toEqual([
      {
        output: 'logits',
        rows: [
          { ids: [0, 5], attentionMask: [0, 1] },
          { ids: [7, 9], attentionMask: [1, 1] },
        ],
        paddingSide: 'left',
        reference: [
          [1, 2],
          [3, 4],
        ],
        greedyIds: undefined,
      },
    ]);
  });

  it('reads a generator with the ids it continues with', () => {
    const [parsed] = parse({ input_ids: [3], attention_mask: [1], last_logits: [1, 2, 3], greedy: [2, 2] });
    expect(parsed).toMatchObject({ output: 'last_logits', reference: [[1, 2, 3]], greedyIds: [2, 2] });
  });

  it('accepts token types that are all zero', () => {
    expect(parse({ ...single, token_type_ids: [0, 0] })).toHaveLength(1);
  });

  it.each([
    ['no object', 'text', 'golden.json: expected at least one case in "cases", found none'],
    ['no cases', {}, 'golden.json: expected at least one case in "cases", found none'],
    ['empty cases', { cases: [] }, 'golden.json: expected at least one case in "cases", found none'],
    [
      'nothing to compare',
      { cases: [{ input_ids: [1], attention_mask: [1] }] },
      'case 0: expected logits or last_logits, found nothing to compare',
    ],
    [
      'no ids',
      { cases: [{ ...single, input_ids: [] }] },
      'case 0, input_ids: expected a list of finite numbers',
    ],
    [
      'a short mask',
      { cases: [single, { ...single, attention_mask: [1] }] },
      'case 1, attention_mask: expected length 2, found 1',
    ],
    [
      'a reference that is no number',
      { cases: [{ ...single, logits: [null, 1] }] },
      'case 0, logits: expected a list of finite numbers',
    ],
    [
      'a row without a reference',
      { cases: [{ ...batch, logits: [[1, 2]] }] },
      'case 0, logits: expected length 2, found 1',
    ],
    [
      'greedy ids for a batch',
      { cases: [{ ...batch, greedy: [1] }] },
      'case 0: expected greedy ids for a single row only',
    ],
    [
      'a batch that is no list of rows',
      { cases: [{ ...batch, input_ids: [1, 2] }] },
      'case 0, input_ids: expected lists of finite numbers',
    ],
  ])('refuses %s', (_, json, message) => {
    expect(() => parseGolden(json, 'golden.json')).toThrow(FormatError);
    expect(() => parseGolden(json, 'golden.json')).toThrow(message);
  });

  it.each([
    ['token classification', { ...single, logits: [[1], [2]] }],
    [
      'token classification',
      {
        ...batch,
        logits: [
          [[1], [2]],
          [[3], [4]],
        ],
      },
    ],
    ['question answering', { ...single, start_logits: [1, 2], end_logits: [1, 2] }],
    ['encoder', { input_ids: [1], attention_mask: [1], last_hidden_state: [[1]], mean_pooled: [1] }],
    ['token_type_ids', { ...single, token_type_ids: [0, 1] }],
  ])('says that %s is not supported yet', (feature, goldenCase) => {
    expect(() => parse(goldenCase)).toThrow(UnsupportedError);
    expect(() => parse(goldenCase)).toThrow(new RegExp(`^${feature}: .*not supported yet$`));
  });
});
