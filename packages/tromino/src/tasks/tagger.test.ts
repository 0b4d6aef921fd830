import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textCheckpoint } from '../../test/text_checkpoints.ts';
import { loadTagger, OptionError, type Entity, type Tagger } from '../node.ts';
import { must } from '../util/assert.ts';
import { groupEntities, type TaggedToken } from './tagger.ts';
import { TextPlaces } from './text_calls.ts';

const fixtures = new URL('../../test/fixtures/checkpoints/', import.meta.url);
const text = 'Ada met Grace at the old mill, 7 miles from Turin.';
let model: Tagger;

beforeAll(async () => {
  const read = (path: string): Promise<Uint8Array> => readFile(new URL(path, fixtures));
  model = await loadTagger(await textCheckpoint('modernbert-tokencls', read), {
    backend: 'cpu',
    maxTokens: 40,
  });
});

afterAll(() => {
  model.dispose();
});

/** Words of a text with their classes, one token each. */
function entitiesOf(whole: string, labels: readonly string[]): string[] {
  const words = [...whole.matchAll(/\S+/g)];
  const tokens = words.map(({ 0: word, index }, i): TaggedToken => ({
    span: [index, index + word.length],
    label: labels[i] ?? 'O',
    probability: 0.5 + i / 16,
    depth: 0,
  }));
  return groupEntities(new TextPlaces(whole), tokens).map(
    ({ label, text: part, start, score }) => `${label} ${part}@${start} ${score}`,
  );
}

describe('entities', () => {
  it('are neighbours of one class, where a prefix does not begin a new one', () => {
    expect(entitiesOf('Ada Lee met Bo in Ho', ['B-PER', 'I-PER', 'O', 'B-PER', 'O', 'B-LOC'])).toEqual([
      'PER Ada Lee@0 0.53125',
      'PER Bo@12 0.6875',
      'LOC Ho@18 0.8125',
    ]);
    expect(entitiesOf('Ada Bo Turin', ['B-PER', 'B-PER', 'I-LOC'])).toEqual([
      'PER Ada@0 0.5',
      'PER Bo@4 0.5625',
      'LOC Turin@7 0.625',
    ]);
  });

  it('need no prefix, and may begin inside', () => {
    expect(entitiesOf('Ada Lee met', ['PER', 'PER', 'O'])).toEqual(['PER Ada Lee@0 0.53125']);
    expect(entitiesOf('Ada Lee met', ['O', 'I-PER', 'I-LOC'])).toEqual([
      'PER Lee@4 0.5625',
      'LOC met@8 0.625',
    ]);
  });

  it('end where a prefix says so', () => {
    expect(entitiesOf('a b c d e', ['B-X', 'E-X', 'I-X', 'S-X', 'U-X'])).toEqual([
      'X a b@0 0.53125',
      'X c@4 0.625',
      'X d@6 0.6875',
      'X e@8 0.75',
    ]);
  });
});

/** Runs of one class in the order of the text, from raw scores of the whole text. */
async function expectedEntities(whole: string): Promise<Omit<Entity, 'score'>[]> {
  const { ids, spans } = must(model.tokenizer, 'tokenizer').encode(whole);
  const [logits] = await model.tokenLogits([ids]);
  const numLabels = model.labels.length;
  const best = ids.map((_, i) => {
    const scores = [...(logits?.subarray(i * numLabels, (i + 1) * numLabels) ?? [])];
    return scores.indexOf(Math.max(...scores));
  });
  const found: { label: string; text: string; start: number; end: number }[] = [];
  for (let i = 1; i < ids.length - 1; i++) {
    const [start, end] = must(spans[i], 'span');
    const label = must(model.labels[best[i] ?? -1], 'label');
    const last = found.at(-1);
    if (last && i > 1 && best[i] === best[i - 1]) {
      last.end = end;
      last.text = whole.slice(last.start, end);
    } else found.push({ label, text: whole.slice(start, end), start, end });
  }
  return found;
}

describe('tag', () => {
  it('finds the runs of the likeliest classes, in characters of the text', async () => {
    const short = text.slice(0, 30);
    const expected = await expectedEntities(short);
    const entities = await model.tag(short);
    expect(entities.map(({ label, text: part, start, end }) => ({ label, text: part, start, end }))).toEqual(
      expected,
    );
    expect(entities.every(({ score }) => score > 1 / model.labels.length && score <= 1)).toBe(true);
    expect(new Set(entities.map(({ label }) => label)).size).toBeGreaterThan(1);
  });

  it('covers a text that is too long in windows, each token once', async () => {
    const long = Array.from({ length: 12 }, () => text).join(' ');
    const entities = await model.tag(long, { overlap: 10 });
    entities.forEach(({ text: part, start, end }, i) => {
      expect(part).toBe(long.slice(start, end));
      expect(start).toBeGreaterThanOrEqual(entities[i - 1]?.end ?? 0);
    });
    expect(entities.map(({ text: part }) => part.replaceAll(' ', '')).join('')).toBe(
      long.replaceAll(' ', ''),
    );
  });

  it('takes several texts at once, each with the entities that it has alone', async () => {
    const texts = [text, '', 'x', '  '];
    const together = await model.tag(texts);
    expect(together[1]).toEqual([]);
    expect(together[3]).toEqual([]);
    for (const [i, one] of texts.entries()) expect(together[i]).toEqual(await model.tag(one));
  });

  it('refuses what is no text and no overlap', async () => {
    await expect(model.tag(5 as never)).rejects.toThrow(
      new OptionError('text', 'a text or a list of texts', '5'),
    );
    await expect(model.tag(text, { overlap: NaN })).rejects.toThrow(OptionError);
  });
});
