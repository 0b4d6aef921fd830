import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOfFixture, fixture, tromino } from './tromino_command.ts';

const text = 'Ada met Grace at the old mill.';

/** Whole words, each a token. */
const words = ['[UNK]', ...'ada met grace at the old mill . who ? where'.split(' ')];
const tokenizer = {
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    unk_token: '[UNK]',
  },
};

/** A reference checkpoint that can read. */
async function readingCheckpoint(name: string): ReturnType<typeof copyOfFixture> {
  const copy = await copyOfFixture(name);
  await writeFile(join(copy.folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  return copy;
}

describe('tromino run', () => {
  it('answers questions with parts of the text', async () => {
    await using copy = await readingCheckpoint('bert-qa');
    const args = [
      'run',
      copy.folder,
      '--text',
      text,
      '--question',
      'who?',
      '--question',
      'where?',
      '--top-k',
      '3',
    ];
    const { code, stdout, stderr } = await tromino([...args, '--json', '--backend', 'cpu']);
    expect([code, stderr]).toEqual([0, '']);
    const { head, extractions } = JSON.parse(stdout) as {
      head: string;
      extractions: {
        question: string;
        answers: { text: string; start: number; end: number; score: number }[];
      }[];
    };
    expect(head).toBe('extractor');
    expect(extractions.map(({ question, answers }) => [question, answers.length])).toEqual([
      ['who?', 3],
      ['where?', 3],
    ]);
    for (const { text: part, start, end } of extractions.flatMap(({ answers }) => answers))
      expect(part).toBe(text.slice(start, end));

    const forPeople = await tromino([...args, '--backend', 'webgpu']);
    expect(forPeople.code).toBe(0);
    expect(forPeople.stdout).toMatch(
      /^bert extractor · webgpu on .+\nwho\?\n( +-?\d+\.\d{4} +\d+–\d+ +".+"\n){3}/,
    );
    expect(forPeople.stdout).toMatch(/ +-?\d+\.\d{4} +no answer\nwhere\?\n/);
  });

  it('answers questions that share a row, and traces the row that they share', async () => {
    const ask = ['--text', text, '--question', 'who?', '--question', 'where?', '--backend', 'cpu'];
    const { code, stdout } = await tromino(['run', fixture('magicbox-tiny'), ...ask]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^magicbox extractor · cpu on .+\nwho\?\n +-?\d+\.\d{4} +\d+–\d+ +".+"\n/);
    expect(stdout).toMatch(/ +no answer\nwhere\?\n/);
    const traced = await tromino(['run', fixture('magicbox-tiny'), ...ask, '--tap']);
    expect(traced.code).toBe(0);
    // Two questions: of each a start and an end for every token, then five numbers.
    expect(traced.stdout).toMatch(/ \d+0?\d+ +pointer_scores_vec4_f32 +logits\n/);
    expect(traced.stdout).toMatch(/ 12 +span_search_f32 +spans\n/);
    const noText = await tromino([
      'run',
      fixture('magicbox-tiny'),
      '--ids',
      '2,4,3',
      '--question',
      'a',
      '--tap',
      '--backend',
      'cpu',
    ]);
    expect(noText.code).toBe(1);
    expect(noText.stderr).toContain('--text: expected a text to ask the questions about, found --ids');
  });

  it('tags a text, and makes it a vector', async () => {
    await using tagger = await readingCheckpoint('modernbert-tokencls');
    const tagged = await tromino(['run', tagger.folder, '--text', text, '--backend', 'cpu']);
    expect(tagged.stdout).toMatch(/\n +0\.\d{4} +LABEL_\d +0–\d+ +"A.*"\n/);
    expect(tagged.stdout).toMatch(/\n\d+ entities\n/);
    await using embedder = await readingCheckpoint('bert-embed');
    const embedded = await tromino(['run', embedder.folder, '--text', text, '--backend', 'cpu']);
    expect(embedded.stdout).toMatch(/( +-?\d\.\d{5}){8} …\n\d+ numbers, length \d/);
  });

  it.each([
    ['no question', 'bert-qa', ['--text', 'a'], '--question: expected a question to the text, found none'],
    [
      'ids to be searched',
      'bert-qa',
      ['--ids', '1,2', '--question', 'a'],
      '--text: expected a text for this model',
    ],
    [
      'a question to a tagger',
      'bert-tokencls',
      ['--text', 'a', '--question', 'b'],
      '--question: expected a model with the head "extractor"',
    ],
    [
      'answers of an embedder',
      'bert-embed',
      ['--text', 'a', '--top-k', '2'],
      '--top-k: expected a model with the head "extractor"',
    ],
  ])('refuses %s', async (_, name, args, message) => {
    const { code, stdout, stderr } = await tromino(['run', fixture(name), ...args, '--backend', 'cpu']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });
});
