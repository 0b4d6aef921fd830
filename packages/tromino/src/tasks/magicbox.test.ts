import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tensorBytes } from '../../test/tensor_bytes.ts';
import {
  DisposedError,
  FormatError,
  loadClassifier,
  loadExtractor,
  OptionError,
  ScoreError,
  type Answer,
  type Extractor,
  type QuestionRow,
  type TokenExtraction,
} from '../node.ts';
import { must } from '../util/assert.ts';

const folder = new URL('../../test/fixtures/checkpoints/magicbox-tiny/', import.meta.url);
const [first, marker, separator] = [2, 4, 3];

const text = 'Table for six at Luigi, Friday 8 pm, name is Ada. Call 555-0134!';
const questions = ['how many people?', 'when?', 'which restaurant?'];

let model: Extractor;

beforeAll(async () => {
  model = await loadExtractor(folder, { backend: 'cpu' });
});

afterAll(() => {
  model.dispose();
});

async function filesOf(): Promise<Map<string, Uint8Array>> {
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  const files = names.map(async (name) => [name, await readFile(new URL(name, folder))] as const);
  return new Map(await Promise.all(files));
}

/** Starts and ends of a row's questions, each a list of its tokens. */
async function logitsOf(row: QuestionRow): Promise<{ start: Float32Array; end: Float32Array }[]> {
  const { start, end } = must((await model.spanLogits([row]))[0], 'logits');
  const length = row.ids.length;
  expect(start.length).toBe(length * row.questions.length);
  return row.questions.map((_, i) => ({
    start: start.subarray(i * length, (i + 1) * length),
    end: end.subarray(i * length, (i + 1) * length),
  }));
}

/** Every span of every row for each question, the best first. */
async function exhaustive(
  rows: readonly QuestionRow[],
  whole: string,
  numQuestions: number,
  maxAnswerTokens: number,
): Promise<{ answers: Answer[]; noAnswerScore: number }[]> {
  const found = Array.from({ length: numQuestions }, () => ({
    best: new Map<string, Answer>(),
    noAnswerScore: Infinity,
  }));
  for (const row of rows) {
    for (const [i, { start, end }] of (await logitsOf(row)).entries()) {
      const of = must(found[row.questions[i] ?? -1], 'question');
      of.noAnswerScore = Math.min(of.noAnswerScore, Math.fround((start[0] ?? NaN) + (end[0] ?? NaN)));
      for (let s = row.context.start; s < row.context.end; s++) {
        for (let e = s; e < Math.min(row.context.end, s + maxAnswerTokens); e++) {
          const score = Math.fround((start[s] ?? NaN) + (end[e] ?? NaN));
          const [from, to] = [must(row.spans[s], 'span')[0], must(row.spans[e], 'span')[1]];
          const key = `${from}-${to}`;
          if ((of.best.get(key)?.score ?? -Infinity) < score)
            of.best.set(key, { text: whole.slice(from, to), start: from, end: to, score });
        }
      }
    }
  }
  return found.map(({ best, noAnswerScore }) => ({
    answers: [...best.values()].sort((a, b) => b.score - a.score || a.start - b.start || a.end - b.end),
    noAnswerScore,
  }));
}

describe('the rows of questions', () => {
  it('are of several questions behind their markers, a separator, the text, a separator', () => {
    const [row, ...others] = model.encode('Ada', ['who?', 'who now?']);
    expect(others).toEqual([]);
    const { tokenizer } = model;
    const spelled = row?.ids.map((id) => tokenizer?.idToToken(id)).join(' ');
    expect(spelled?.replaceAll(' ##', '')).toBe('[CLS] [Q] who ? [Q] who now ? [SEP] ada [SEP]');
    expect(row?.questions).toEqual([0, 1]);
    const { start, end } = must(row?.context, 'context');
    expect(row?.ids.slice(start, end)).toEqual(tokenizer?.encode('ada', { addSpecialTokens: false }).ids);
    expect(row?.spans.slice(start, end).at(-1)?.[1]).toBe(3);
  });

  it('are of eight questions at most, and leave the text half of them', () => {
    const eleven = Array.from({ length: 11 }, () => 'a');
    expect(model.encode('b', eleven).map((row) => row.questions)).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10],
    ]);
    // 61 of 128 columns are left beside the text's half and what frames it: two of 30 and a marker are too many.
    const long = (length: number): string => 'a '.repeat(length);
    const grouped = (...lengths: number[]): unknown =>
      model.encode('b', lengths.map(long)).map((row) => row.questions);
    expect(grouped(29, 30, 1)).toEqual([[0, 1], [2]]);
    expect(grouped(30, 30, 1)).toEqual([[0], [1, 2]]);
    expect(grouped(1, 100, 1)).toEqual([[0], [1], [2]]);
  });

  it('hold a long text in windows that overlap, each a row', () => {
    const long = Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + (i % 26))).join(' ');
    const rows = model.encode(long, ['when?', 'who?'], { overlap: 20 });
    const whole = must(model.tokenizer, 'tokenizer').encode(long, { addSpecialTokens: false });
    expect(whole.ids.length).toBe(300);
    const parts = rows.map(({ ids, context }) => ids.slice(context.start, context.end));
    for (const { ids } of rows) expect(ids.length).toBeLessThanOrEqual(128);
    expect(parts.length).toBeGreaterThan(2);
    for (const [i, part] of parts.slice(1).entries()) expect(part.slice(0, 20)).toEqual(parts[i]?.slice(-20));
    expect(parts.flatMap((part, i) => part.slice(i === 0 ? 0 : 20))).toEqual(whole.ids);
  });

  it('hold no special token but their own, whatever a question or a text spells', () => {
    const [row] = model.encode('see [SEP] or [Q][CLS]', ['what is [Q]?', '[SEP]?']);
    const places = (id: number): unknown => row?.ids.flatMap((other, place) => (other === id ? [place] : []));
    expect(places(first)).toEqual([0]);
    expect(places(marker)).toHaveLength(2);
    expect(places(separator)).toEqual([
      must(row?.context.start, 'start') - 1,
      must(row?.ids.length, 'row') - 1,
    ]);
    expect(row?.spans[must(row.context.end, 'end') - 1]).toEqual([20, 21]);
  });
});

describe('extract', () => {
  it('finds the answers of an exhaustive search, in characters of the text', async () => {
    const found = await model.extract(text, questions, { topK: 32, maxAnswerTokens: 7 });
    const expected = await exhaustive(model.encode(text, questions), text, 3, 7);
    for (const [i, question] of questions.entries()) {
      const { answers, noAnswerScore } = must(expected[i], 'expected');
      expect(found[i]).toEqual({ question, answers: answers.slice(0, 32), noAnswerScore });
      expect(found[i]?.answers).toHaveLength(32);
    }
  });

  it('reads a text that is too long in windows, and finds what any of them does', async () => {
    const long = Array.from({ length: 5 }, (_, i) => `${text.slice(i)} x${i}`).join(' ');
    const rows = model.encode(long, questions, { overlap: 10 });
    expect(rows.length).toBeGreaterThan(1);
    const found = await model.extract(long, questions, { topK: 5, maxAnswerTokens: 9, overlap: 10 });
    const expected = await exhaustive(rows, long, 3, 9);
    expect(found).toEqual(
      expected.map(({ answers, noAnswerScore }, i) => ({
        question: questions[i],
        answers: answers.slice(0, 5),
        noAnswerScore,
      })),
    );
  });

  it('takes several texts at once, each with the answers that it has alone', async () => {
    const texts = [text, 'No one.', text.toUpperCase()];
    const together = await model.extract(texts, questions, { topK: 3 });
    for (const [i, one] of texts.entries())
      expect(together[i]).toEqual(await model.extract(one, questions, { topK: 3 }));
  });

  it('answers 500 questions, in the rows that they would share alone', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `${i}?`);
    const found = await model.extract('Ada.', many);
    expect(found.map(({ question }) => question)).toEqual(many);
    expect(found.slice(16, 24)).toEqual(await model.extract('Ada.', many.slice(16, 24)));
  }, 60_000);

  it('leaves out answers that are no better than none, if asked to', async () => {
    const all = await model.extract(text, questions, { topK: 32 });
    const some = await model.extract(text, questions, { topK: 32, noAnswer: true });
    all.forEach(({ answers, noAnswerScore }, i) => {
      expect(some[i]?.answers).toEqual(answers.filter(({ score }) => score > noAnswerScore));
    });
    const numbers = [all, some].map((found) => found.flatMap(({ answers }) => answers).length);
    expect(numbers[1]).toBeLessThan(must(numbers[0], 'answers'));
    expect(numbers[1]).toBeGreaterThan(0);
  });

  it('finds nothing in a text without words, and asks nothing where there is no question', async () => {
    for (const empty of ['', '  \n ']) {
      const found = await model.extract(empty, questions);
      expect(found.map(({ answers }) => answers)).toEqual([[], [], []]);
      for (const { noAnswerScore } of found) expect(noAnswerScore).toEqual(expect.any(Number));
    }
    expect(await model.extract(text, [])).toEqual([]);
    expect(await model.extract([], 'who?')).toEqual([]);
    expect(model.encode(text, [])).toEqual([]);
  });

  it.each([
    ['emoji alone', '👩‍👩‍👧‍👦🇩🇪👍🏽😀'],
    ['text from right to left', 'שלום עולם، مرحبا'],
    ['decomposed accents and jamo', 'cafe\u0301 \u1112\u1161\u11ab\u1100\u1173\u11af'],
    ['half a surrogate pair', 'a\ud83d b'],
  ])('gives spans on whole graphemes of %s, also with such questions', async (_, strange) => {
    const boundaries = new Set([strange.length]);
    for (const { index } of new Intl.Segmenter().segment(strange)) boundaries.add(index);
    const found = await model.extract(strange, ['who?', strange], { topK: 32 });
    for (const { answers } of found) {
      expect(answers.length).toBeGreaterThan(0);
      for (const { text: part, start, end } of answers) {
        expect(part).toBe(strange.slice(start, end));
        expect(boundaries.has(start) && boundaries.has(end)).toBe(true);
      }
    }
  });

  it.each<[string, unknown, object, string]>([
    ['an empty question', ['who?', ''], {}, 'questions[1]: expected a question, found an empty text'],
    [
      'a question of nothing that the tokenizer keeps',
      ['who?', '\u0000\u200d'],
      {},
      'questions[1]: expected a question of at least one token, found a text without tokens',
    ],
    [
      'a question longer than the model',
      ['who?', 'x '.repeat(200)],
      {},
      'questions[1]: expected at most 123 tokens, found 200',
    ],
    ['a negative overlap', 'who?', { overlap: -1 }, 'overlap: expected an integer from 0'],
    ['no answers', 'who?', { topK: 0 }, 'topK: expected an integer from 1 to 32, found 0'],
  ])('refuses %s', async (_, asked, options, message) => {
    const call = model.extract(text, asked as string, options);
    await expect(call).rejects.toThrow(OptionError);
    await expect(call).rejects.toThrow(message);
  });

  it('reads a question that leaves the text a single column', async () => {
    const asked = 'x '.repeat(123);
    expect(model.encode('a b', asked).map(({ ids }) => ids.length)).toEqual([128, 128]);
    const [found] = await model.extract('a b', asked, { topK: 3 });
    expect(found?.answers.map((answer) => answer.text).sort()).toEqual(['a', 'b']);
  });

  it('refuses text where the checkpoint has no tokenizer, but not ids', async () => {
    const files = await filesOf();
    files.delete('tokenizer.json');
    using bare = await loadExtractor(files, { backend: 'cpu' });
    await expect(bare.extract(text, 'who?')).rejects.toThrow(
      new OptionError('text', 'a checkpoint with a tokenizer.json', 'one without'),
    );
    const [row] = model.encode(text, questions);
    expect(await bare.extractIds([must(row, 'row')])).toEqual(await model.extractIds([must(row, 'row')]));
  });

  it('refuses a tokenizer that makes the marker of text', async () => {
    const files = await filesOf();
    const tokenizer = new TextDecoder().decode(must(files.get('tokenizer.json'), 'tokenizer'));
    const parsed = JSON.parse(tokenizer) as { added_tokens: { content: string; special: boolean }[] };
    for (const token of parsed.added_tokens) if (token.content === '[Q]') token.special = false;
    files.set('tokenizer.json', new TextEncoder().encode(JSON.stringify(parsed)));
    using careless = await loadExtractor(files, { backend: 'cpu' });
    expect(await careless.extract(text, questions)).toEqual(await model.extract(text, questions));
    const message = 'tokenizer.json: added_tokens: expected token 4 ([Q]) to be special, found it in a text';
    await expect(careless.extract('the letter [Q]', 'which?')).rejects.toThrow(
      new FormatError('tokenizer.json', message.slice(16)),
    );
  });

  it('refuses to be cut to rows that hold no question', async () => {
    for (const maxTokens of [1, 5])
      await expect(loadExtractor(folder, { backend: 'cpu', maxTokens })).rejects.toThrow(
        new OptionError('maxTokens', 'at least 6', String(maxTokens)),
      );
    using short = await loadExtractor(folder, { backend: 'cpu', maxTokens: 6 });
    // A marker, one token of the question and one of the text fit beside the first token and two separators.
    expect((await short.extractIds([[first, marker, 9, separator, 9, separator]]))[0]).toHaveLength(1);
  });

  it('stops when its signal says so, between two batches too', async () => {
    const reason = new Error('enough');
    await expect(model.extract(text, questions, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const many = Array.from({ length: 2000 }, (_, i) => `what is ${i}?`);
    const call = model.extract(text, many, { signal: controller.signal });
    setTimeout(() => {
      controller.abort(reason);
    }, 100);
    await expect(call).rejects.toBe(reason);
    expect(await model.extract(text, 'when?')).toHaveLength(1);
  }, 60_000);

  it('answers calls that are made at once as if one came after the other', async () => {
    const asked = [questions, ['who?'], questions.slice(1)];
    const together = await Promise.all(asked.map((some) => model.extract(text, some)));
    for (const [i, some] of asked.entries()) expect(together[i]).toEqual(await model.extract(text, some));
  });

  it('says so where the weights are not numbers, and ends with its model', async () => {
    const files = await filesOf();
    const weights = Uint8Array.from(must(files.get('model.safetensors'), 'weights'));
    // NaN in bfloat16.
    tensorBytes(weights, 'pointer.end_token.weight').fill(0xff);
    files.set('model.safetensors', weights);
    const broken = await loadExtractor(files, { backend: 'cpu' });
    await expect(broken.extract(text, questions)).rejects.toThrow(new ScoreError(1, NaN));
    broken.dispose();
    await expect(broken.extract(text, [])).rejects.toBeInstanceOf(DisposedError);
    expect(() => broken.encode(text, 'who?')).toThrow(DisposedError);
  });
});

/** What the only row says to its only question. */
async function only(found: Promise<TokenExtraction[][]>): Promise<TokenExtraction> {
  const [[extraction, another] = [], ...others] = await found;
  expect([another, ...others]).toEqual([undefined]);
  return must(extraction, 'extraction');
}

describe('extractIds', () => {
  it('finds what extract does, in columns of the rows', async () => {
    const options = { topK: 4, maxAnswerTokens: 7 };
    const rows = model.encode(text, questions);
    const [found] = await model.extractIds(rows, options);
    const expected = await model.extract(text, questions, options);
    expect(found).toHaveLength(3);
    found?.forEach(({ answers, noAnswerScore }, i) => {
      const places = answers.map(({ start, end }) => [
        rows[0]?.spans[start]?.[0],
        rows[0]?.spans[end - 1]?.[1],
      ]);
      expect(noAnswerScore).toBe(expected[i]?.noAnswerScore);
      expect(answers.map(({ score }) => score)).toEqual(expected[i]?.answers.map(({ score }) => score));
      expect(places).toEqual(expected[i]?.answers.map(({ start, end }) => [start, end]));
    });
  });

  it('gives each row of a batch what it has alone, padded on either side or not', async () => {
    const ids = [2, 4, 160, 4, 223, 249, 3, 235, 69, 251, 177, 3];
    const ones = ids.map(() => 1);
    const rows = [
      { ids },
      { ids: [2, 4, 160, 252, 3, 100, 3] },
      { ids: Uint32Array.from([...ids, 0, 0]), attentionMask: [...ones, 0, 0] },
      { ids: [0, 0, 0, ...ids], attentionMask: [0, 0, 0, ...ones] },
    ];
    const options = { topK: 10 };
    const together = await model.extractIds(rows, options);
    expect(together.map(({ length }) => length)).toEqual([2, 1, 2, 2]);
    const alone = await Promise.all(rows.map(async (row) => (await model.extractIds([row], options))[0]));
    expect(together).toEqual(alone);
    expect(together[2]).toEqual(together[0]);
    expect(together[3]).toEqual(
      together[0]?.map(({ answers, noAnswerScore }) => ({
        answers: answers.map(({ start, end, score }) => ({ start: start + 3, end: end + 3, score })),
        noAnswerScore,
      })),
    );
    for (const { answers } of together[0] ?? []) {
      expect(answers).toHaveLength(10);
      for (const { start, end } of answers) expect(7 <= start && start < end && end <= 11).toBe(true);
    }
  });

  it('looks where the caller says, and leaves out answers that are no better than none', async () => {
    const row = { ids: [2, 4, 160, 3, 235, 69, 251, 177, 3] };
    const all = await only(model.extractIds([row], { topK: 32 }));
    expect(all.answers).toHaveLength(10);
    const within = await model.extractIds([{ ...row, context: { start: 5, end: 7 } }], { topK: 32 });
    expect(within[0]?.[0]?.answers.map(({ start, end }) => `${start}-${end}`).sort()).toEqual([
      '5-6',
      '5-7',
      '6-7',
    ]);
    const nowhere = await model.extractIds([{ ...row, context: { start: 4, end: 4 } }]);
    expect(nowhere[0]?.[0]?.answers).toEqual([]);
    const some = await only(model.extractIds([row], { topK: 32, noAnswer: true }));
    for (const { score } of some.answers) expect(score).toBeGreaterThan(some.noAnswerScore);
    expect(await model.extractIds([])).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no list', { ids: [2, 4, 5, 3] }, 'rows: expected a list of rows, found an object'],
    ['a text', ['who?'], 'input: expected token ids or { ids, attentionMask }, found "who?"'],
    ['no marker', [[2, 9, 3, 8, 3]], 'input.ids: expected token 4 before each question, found none'],
    [
      'a masked marker',
      [{ ids: [2, 4, 9, 3, 8, 3], attentionMask: [1, 0, 1, 1, 1, 1] }],
      'input.ids: expected token 4 before each question, found none',
    ],
    [
      'no separator',
      [[2, 4, 9, 8]],
      'input.ids: expected token 3 between the questions and the text, found none',
    ],
    [
      'a marker behind the separator',
      [[2, 4, 9, 3, 8, 4, 3]],
      'input.ids[5]: expected token 4 before questions alone, which end at 3, found 4',
    ],
    [
      'a marker behind the only separator, in the second row',
      [
        [2, 4, 9, 3, 8, 3],
        [2, 3, 4, 9],
      ],
      'inputs[1].ids[2]: expected token 4 before questions alone, which end at 1, found 4',
    ],
    [
      'an id outside the vocabulary',
      [
        [2, 4, 9, 3, 8, 3],
        [2, 4, 256, 3, 8, 3],
      ],
      'inputs[1].ids[2]: expected an integer from 0 to 255, found 256',
    ],
    [
      'an id that is none',
      [[2, 4, 0.5, 3, 8, 3]],
      'input.ids[2]: expected an integer from 0 to 255, found 0.5',
    ],
    [
      'more ids than the model has positions',
      [[2, 4, 9, 3, ...new Array<number>(125).fill(8)]],
      'input: expected at most 128 tokens, found 129',
    ],
    [
      'a hole',
      new Array<number[]>(1),
      'input: expected a text, token ids, or { ids, attentionMask }, found undefined',
    ],
    ['no ids', [[]], 'input.ids: expected token 4 before each question, found none'],
    [
      'another first token',
      [[4, 9, 3, 8, 3]],
      'input.ids[0]: expected token 2 at the start of the row, found 4',
    ],
    [
      'another first token behind padding',
      [{ ids: [2, 2, 7, 4, 9, 3, 8, 3], attentionMask: [0, 0, 1, 1, 1, 1, 1, 1] }],
      'input.ids[2]: expected token 2 at the start of the row, found 7',
    ],
    [
      'a context over the questions',
      [{ ids: [2, 4, 9, 3, 8, 3], context: { start: 0, end: 5 } }],
      'input.context: expected columns of the text, 4 to 5, found 0 to 5',
    ],
    [
      'a context over the last separator',
      [[2, 4, 9, 3, 8, 3], { ids: [2, 4, 9, 3, 8, 3], context: { start: 4, end: 6 } }],
      'inputs[1].context: expected columns of the text, 4 to 5, found 4 to 6',
    ],
    [
      'a context in a row without a marker',
      [{ ids: [2, 9, 3, 8, 3], context: { start: 3, end: 4 } }],
      'input.ids: expected token 4 before each question, found none',
    ],
    [
      'a context that ends before it starts',
      [{ ids: [2, 4, 9, 3, 8, 3], context: { start: 4, end: 2 } }],
      'input.context: expected start and end, in order, of 6 columns, found 4 to 2',
    ],
  ])('refuses %s', async (_, rows, message) => {
    const call = model.extractIds(rows as number[][]);
    await expect(call).rejects.toThrow(OptionError);
    await expect(call).rejects.toThrow(message);
  });

  it('works with a head for one question, where it is told where the text is', async () => {
    using reader = await loadExtractor(new URL('../bert-qa/', folder), { backend: 'cpu' });
    const row = { ids: [2, 9, 3, 8, 7, 11, 3], tokenTypes: [0, 0, 0, 1, 1, 1, 1] };
    const logits = must((await reader.spanLogits([row]))[0], 'logits');
    const found = await only(reader.extractIds([{ ...row, context: { start: 3, end: 6 } }], { topK: 9 }));
    expect(found.answers).toHaveLength(6);
    for (const { start, end, score } of found.answers)
      expect(score).toBe(Math.fround((logits.start[start] ?? NaN) + (logits.end[end - 1] ?? NaN)));
    await expect(reader.extractIds([row])).rejects.toThrow(
      'input.context: expected the columns of the text, as encode() gives them, found nothing',
    );
  });
});

describe('a model whose rows hold questions', () => {
  it('plans and prepares for as many as a call says', async () => {
    const plan = model.plan([20, 30], { questionsPerRow: 3 });
    expect(plan.outputs.map(({ name, shape }) => [name, shape])).toEqual([['spans', [6, 6]]]);
    expect(model.plan([20, 30]).outputs[0]?.shape).toEqual([2, 6]);
    await model.prepare([20, 30], { questionsPerRow: 3 });
    expect(() => model.plan(20, { questionsPerRow: 21 })).toThrow(
      'questionsPerRow: expected an integer from 1 to 20, found 21',
    );
    using classifier = await loadClassifier(new URL('../bert-seqcls/', folder), { backend: 'cpu' });
    await expect(classifier.prepare(20, { questionsPerRow: 1 })).rejects.toThrow(
      'questionsPerRow: expected none with this model, whose rows hold no questions, found 1',
    );
  });

  it('is no classifier', async () => {
    await expect(loadClassifier(folder, { backend: 'cpu' })).rejects.toThrow(
      'this checkpoint has an extractor head; a classifier was asked for (use loadExtractor)',
    );
  });
});
