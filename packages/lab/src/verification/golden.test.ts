import { FormatError } from 'tromino';
import { describe, expect, it } from 'vitest';
import { parseGolden, referenceError } from './golden.ts';

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
        rows: [{ ids: [5, 9], attentionMask: [1, 1] }],
        paddingSide: undefined,
        references: [{ output: 'logits', values: [[0.5, -2]] }],
        greedyIds: undefined,
      },
    ]);
  });

  it('reads a batch with its masks and its padding side', () => {
    expect(parse(batch)).toEqual([
      {
        rows: [
          { ids: [0, 5], attentionMask: [0, 1] },
          { ids: [7, 9], attentionMask: [1, 1] },
        ],
        paddingSide: 'left',
        references: [
          {
            output: 'logits',
            values: [
              [1, 2],
              [3, 4],
            ],
          },
        ],
        greedyIds: undefined,
      },
    ]);
  });

  it('reads a generator with the ids it continues with', () => {
    const [parsed] = parse({ input_ids: [3], attention_mask: [1], last_logits: [1, 2, 3], greedy: [2, 2] });
    expect(parsed).toMatchObject({
      references: [{ output: 'last_logits', values: [[1, 2, 3]] }],
      greedyIds: [2, 2],
    });
  });

  it('reads token types', () => {
    const [parsed] = parse({ ...single, token_type_ids: [0, 1] });
    expect(parsed?.rows).toEqual([{ ids: [5, 9], attentionMask: [1, 1], tokenTypes: [0, 1] }]);
  });

  it('reads scores of each token, without those at padding', () => {
    const tokens = [
      [
        [9, 9],
        [1, 2],
      ],
      [
        [3, 4],
        [5, 6],
      ],
    ];
    expect(parse({ ...batch, logits: tokens })[0]?.references).toEqual([
      {
        output: 'token_logits',
        values: [
          [1, 2],
          [3, 4, 5, 6],
        ],
      },
    ]);
    expect(parse({ ...single, logits: [[1], [2]] })[0]?.references).toEqual([
      { output: 'token_logits', values: [[1, 2]] },
    ]);
  });

  it('reads where answers start and end, and the states of an encoder', () => {
    const inputs = { input_ids: [5, 9], attention_mask: [1, 1] };
    expect(parse({ ...inputs, start_logits: [1, 2], end_logits: [3, 4] })[0]?.references).toEqual([
      { output: 'start_logits', values: [[1, 2]] },
      { output: 'end_logits', values: [[3, 4]] },
    ]);
    const states = [
      [1, 2],
      [3, 4],
    ];
    expect(parse({ ...inputs, last_hidden_state: states, mean_pooled: [2, 3] })[0]?.references).toEqual([
      { output: 'last_hidden_state', values: [[1, 2, 3, 4]] },
      { output: 'mean_pooled', values: [[2, 3]] },
    ]);
  });

  it('reads where the answers to each of several questions start and end, without what is at padding', () => {
    const inputs = { input_ids: [5, 9, 7], attention_mask: [0, 1, 1] };
    const scores = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const references = [
      { output: 'start_logits', values: [[2, 3, 5, 6]] },
      { output: 'end_logits', values: [[2, 3, 5, 6]] },
    ];
    expect(parse({ ...inputs, start_logits: scores, end_logits: scores })[0]?.references).toEqual(references);
    const batch = { batch: true, input_ids: [inputs.input_ids], attention_mask: [inputs.attention_mask] };
    expect(parse({ ...batch, start_logits: [scores], end_logits: [scores] })[0]?.references).toEqual(
      references,
    );
  });

  it('takes all tokens for real where there is no mask', () => {
    const [read] = parse({ input_ids: [5, 9], start_logits: [[1, 2]], end_logits: [[3, 4]] });
    expect(read?.rows).toEqual([{ ids: [5, 9], attentionMask: [1, 1] }]);
    expect(read?.references[0]?.values).toEqual([[1, 2]]);
  });

  it.each([
    ['no object', 'text', 'golden.json: expected at least one case in "cases", found none'],
    ['no cases', {}, 'golden.json: expected at least one case in "cases", found none'],
    ['empty cases', { cases: [] }, 'golden.json: expected at least one case in "cases", found none'],
    [
      'nothing to compare',
      { cases: [{ input_ids: [1], attention_mask: [1] }] },
      'case 0: expected one of logits, last_logits, start_logits, end_logits, last_hidden_state, mean_pooled, found nothing',
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
      'a score for each token but one',
      { cases: [{ input_ids: [5, 9], attention_mask: [1, 1], start_logits: [1], end_logits: [1, 2] }] },
      'case 0, start_logits: expected length 2, found 1',
    ],
    [
      'a score for each token but one of a second question',
      {
        cases: [
          {
            input_ids: [5, 9],
            start_logits: [[1, 2], [1]],
            end_logits: [
              [1, 2],
              [1, 2],
            ],
          },
        ],
      },
      'case 0, start_logits: expected length 2, found 1',
    ],
    [
      'states that are no vectors',
      { cases: [{ input_ids: [5, 9], attention_mask: [1, 1], last_hidden_state: [1, 2] }] },
      'case 0, last_hidden_state: expected lists of finite numbers',
    ],
    [
      'token types of another length',
      { cases: [{ ...single, token_type_ids: [0] }] },
      'case 0, token_type_ids: expected length 2, found 1',
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
});

describe('referenceError', () => {
  it("reads the reference's own error, none where there is none", () => {
    expect(referenceError({ cases: [], f32_error: 0.02 }, 'golden.json')).toBe(0.02);
    expect(referenceError({ cases: [] }, 'golden.json')).toBe(0);
  });

  it.each(['0.1', -1, 0.11, [0.01]])('refuses %j', (error) => {
    expect(() => referenceError({ f32_error: error }, 'golden.json')).toThrow(
      `golden.json: f32_error: expected a number from 0 to 0.1, found ${JSON.stringify(error)}`,
    );
  });
});
