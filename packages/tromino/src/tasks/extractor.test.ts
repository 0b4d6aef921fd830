import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tensorBytes } from '../../test/tensor_bytes.ts';
import { textCheckpoint } from '../../test/text_checkpoints.ts';
import { loadExtractor, OptionError, ScoreError, type Answer, type Extractor } from '../node.ts';
import { must } from '../util/assert.ts';
import { TextPlaces } from './text_calls.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const read = (path: string): Promise<Uint8Array> => readFile(new URL(path, fixtures));
const load = async (name: string, maxTokens = 100): Promise<Extractor> =>
  loadExtractor(await textCheckpoint(name, read), { backend: 'cpu', maxTokens });

const text = 'Ada met Grace at the old mill, 7 miles from Turin.';
const questions = ['who met grace?', 'where?'];

let bert: Extractor;
let roberta: Extractor;

beforeAll(async () => {
  bert = await load('bert-qa');
  roberta = await load('roberta-qa');
});

afterAll(() => {
  bert.dispose();
  roberta.dispose();
});

/** Every span of every window that has a word, each in characters as the tokenizer's spans say, the best first. */
async function exhaustive(
  model: Extractor,
  whole: string,
  question: string,
  maxAnswerTokens: number,
): Promise<{ answers: Answer[]; noAnswerScore: number }> {
  const windows = must(model.tokenizer, 'tokenizer').encodeWindows(whole, {
    question,
    overlap: 128,
    maxTokens: model.maxTokens,
  });
  const rows = windows.map(({ ids, typeIds }) => ({ ids, tokenTypes: typeIds }));
  const logits = await model.spanLogits(rows);
  const best = new Map<string, Answer>();
  const places = new TextPlaces(whole);
  let noAnswerScore = Infinity;
  windows.forEach(({ spans, sequences }, w) => {
    const { start, end } = must(logits[w], 'logits');
    noAnswerScore = Math.min(noAnswerScore, Math.fround((start[0] ?? NaN) + (end[0] ?? NaN)));
    sequences.forEach((sequence, s) => {
      if (sequence !== 1) return;
      for (let e = s; e < s + maxAnswerTokens && sequences[e] === 1; e++) {
        const score = Math.fround((start[s] ?? NaN) + (end[e] ?? NaN));
        const span = places.span([must(spans[s], 'span')[0], must(spans[e], 'span')[1]]);
        if (!span) continue;
        const known = best.get(`${span.start}-${span.end}`);
        if (!known || known.score < score) best.set(`${span.start}-${span.end}`, { ...span, score });
      }
    });
  });
  const answers = [...best.values()].sort((a, b) => b.score - a.score || a.start - b.start || a.end - b.end);
  return { answers, noAnswerScore };
}

describe('extract', () => {
  it('finds the answers of an exhaustive search, in characters of the text', async () => {
    const found = await bert.extract(text, questions, { topK: 32, maxAnswerTokens: 7 });
    for (const [i, question] of questions.entries()) {
      const { answers, noAnswerScore } = await exhaustive(bert, text, question, 7);
      expect(found[i]).toEqual({ question, answers: answers.slice(0, 32), noAnswerScore });
      expect(found[i]?.answers).toHaveLength(32);
    }
  });

  it('answers one question with one answer of at most 30 tokens where a call says no more', async () => {
    const { answers } = await exhaustive(bert, text, 'where?', 30);
    expect(await bert.extract(text, 'where?')).toMatchObject([{ question: 'where?', answers: [answers[0]] }]);
  });

  it('reads a text that is too long in windows, and finds what any of them does', async () => {
    const long = Array.from({ length: 14 }, (_, i) => `${text.slice(i)} x${i}`).join(' ');
    const [found] = await bert.extract(long, questions[0] ?? '', { topK: 5, maxAnswerTokens: 9 });
    const { answers, noAnswerScore } = await exhaustive(bert, long, questions[0] ?? '', 9);
    expect(found).toEqual({ question: questions[0], answers: answers.slice(0, 5), noAnswerScore });
    expect(found?.answers[0]?.end).toBeGreaterThan(0);
  });

  it('takes several texts at once, each with the answers that it has alone', async () => {
    const texts = [text, 'No one.', text.toUpperCase()];
    const together = await roberta.extract(texts, questions, { topK: 3 });
    expect(together).toHaveLength(3);
    for (const [i, one] of texts.entries())
      expect(together[i]).toEqual(await roberta.extract(one, questions, { topK: 3 }));
  });

  it('leaves out answers that are no better than none, if asked to', async () => {
    const [all] = await bert.extract('Ada met', 'who?', { topK: 32 });
    const [some] = await bert.extract('Ada met', 'who?', { topK: 32, noAnswer: true });
    const { noAnswerScore, answers } = must(all, 'extraction');
    expect(some?.answers).toEqual(answers.filter(({ score }) => score > noAnswerScore));
    expect([some?.answers.length, answers.length]).toEqual([10, 21]);
    const [none] = await bert.extract('Bo', 'who?', { topK: 32, noAnswer: true });
    expect(none?.answers).toEqual([]);
  });

  it('finds nothing in a text without words, and asks nothing where there is no question', async () => {
    for (const empty of ['', '  \n ']) {
      const [found] = await bert.extract(empty, 'who?');
      expect(found?.answers).toEqual([]);
      expect(found?.noAnswerScore).toEqual(expect.any(Number));
    }
    expect(await bert.extract(text, [])).toEqual([]);
    expect(await bert.extract([], 'who?')).toEqual([]);
  });

  it('answers 500 questions', async () => {
    const many = Array.from({ length: 500 }, (_, i) => `${i}?`);
    const found = await bert.extract('Ada.', many);
    expect(found.map(({ question }) => question)).toEqual(many);
    const [alone] = await bert.extract('Ada.', '417?');
    expect(found[417]).toEqual(alone);
  });

  it.each([
    ['white space', 'a \n b'],
    ['more white space than answers', ` \n ${' '.repeat(40)}a${'\t '.repeat(20)}`],
    ['characters of several tokens', '👩‍👩‍👧‍👦 é 東'],
    ['a word among them', ' 👍🏽 b '],
  ])('finds as many answers as there are, and the best, in %s', async (_, strange) => {
    const { answers, noAnswerScore } = await exhaustive(roberta, strange, 'x', 30);
    expect(answers.length).toBeGreaterThan(0);
    for (const topK of [1, 2, 3, 5, 32]) {
      expect(await roberta.extract(strange, 'x', { topK })).toEqual([
        { question: 'x', answers: answers.slice(0, topK), noAnswerScore },
      ]);
    }
  });

  it('finds an answer also where it may be of one token and a character is of several', async () => {
    const [found] = await roberta.extract('  👩‍👩‍👧‍👦 ', 'x', { maxAnswerTokens: 1, topK: 2 });
    expect(found?.answers.map(({ start, end }) => [start, end])).toEqual([[2, 13]]);
  });

  it.each([
    ['emoji alone', '👩‍👩‍👧‍👦🇩🇪👍🏽😀'],
    ['text from right to left', 'שלום עולם، مرحبا'],
    ['decomposed accents and jamo', 'cafe\u0301 \u1112\u1161\u11ab\u1100\u1173\u11af'],
    ['half a surrogate pair', 'a\ud83d b'],
  ])('gives spans on whole graphemes of %s', async (_, strange) => {
    const boundaries = new Set([strange.length]);
    for (const { index } of new Intl.Segmenter().segment(strange)) boundaries.add(index);
    const [found] = await roberta.extract(strange, 'who?', { topK: 32 });
    expect(found?.answers.length).toBeGreaterThan(0);
    for (const { text: part, start, end } of found?.answers ?? []) {
      expect(part).toBe(strange.slice(start, end));
      expect(boundaries.has(start) && boundaries.has(end)).toBe(true);
    }
  });

  it.each<[string, unknown, unknown, object, string]>([
    ['a text that is a number', 5, 'who?', {}, 'text: expected a text or a list of texts, found 5'],
    ['a list with none', [null], 'who?', {}, 'text[0]: expected a text, found null'],
    ['questions that are none', text, 7, {}, 'questions: expected a text or a list of texts, found 7'],
    ['a list with a hole', new Array<string>(1), 'who?', {}, 'text[0]: expected a text, found undefined'],
    [
      'questions with a hole',
      text,
      new Array<string>(2),
      {},
      'questions[0]: expected a text, found undefined',
    ],
    ['an empty question', text, ['who?', ''], {}, 'questions[1]: expected a question, found an empty text'],
    ['a blank question', text, ' ', {}, 'questions[0]: expected a question, found nothing but white space'],
    [
      'a question longer than the model',
      text,
      ['who?', 'x'.repeat(99).replaceAll('x', 'x ')],
      {},
      'questions[1]: expected at most 96 tokens, found 99',
    ],
    ['no answers', text, 'who?', { topK: 0 }, 'topK: expected an integer from 1 to 32, found 0'],
    ['too many answers', text, 'who?', { topK: 33 }, 'topK: expected an integer from 1 to 32, found 33'],
    ['half a token', text, 'who?', { maxAnswerTokens: 1.5 }, 'maxAnswerTokens: expected an integer from 1'],
    ['a negative overlap', text, 'who?', { overlap: -1 }, 'overlap: expected an integer from 0'],
    ['too much overlap', text, 'who?', { overlap: 1000 }, 'overlap: expected an integer from 0'],
    ['a misspelt option', text, 'who?', { topk: 3 }, 'topk: expected a known option, as topK'],
    [
      'a flag that is text',
      text,
      'who?',
      { noAnswer: 'yes' },
      'noAnswer: expected true or false, found "yes"',
    ],
  ])('refuses %s', async (_, whole, asked, options, message) => {
    const call = bert.extract(whole as string, asked as string, options);
    await expect(call).rejects.toThrow(OptionError);
    await expect(call).rejects.toThrow(message);
  });

  it('refuses text where the checkpoint has no tokenizer', async () => {
    using model = await loadExtractor(new URL('bert-qa/', fixtures), { backend: 'cpu' });
    await expect(model.extract(text, 'who?')).rejects.toThrow(
      new OptionError('text', 'a checkpoint with a tokenizer.json', 'one without'),
    );
  });

  it.each([
    [0, NaN],
    [0, Infinity],
    [1, -Infinity],
  ])('says that score %i is %f, where the weights make it so', async (index, value) => {
    const files = await textCheckpoint('bert-qa', read);
    const weights = Uint8Array.from(must(files.get('model.safetensors'), 'weights'));
    const bias = tensorBytes(weights, 'qa_outputs.bias');
    new DataView(bias.buffer, bias.byteOffset).setFloat32(index * 4, value, true);
    files.set('model.safetensors', weights);
    using broken = await loadExtractor(files, { backend: 'cpu' });
    await expect(broken.extract(text, 'who?')).rejects.toThrow(new ScoreError(index, value));
  });

  it('stops when its signal says so', async () => {
    const reason = new Error('enough');
    const call = bert.extract(text, questions, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  it('reads back a few numbers for each row', () => {
    const { outputs, bytes } = bert.plan([20, 30]);
    expect(outputs.map(({ name, shape }) => [name, shape])).toEqual([['spans', [2, 6]]]);
    expect(bytes.readback).toBe(48);
  });
});
