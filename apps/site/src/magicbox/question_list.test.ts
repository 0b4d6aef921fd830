import { describe, expect, it } from 'vitest';
import { numColors, QuestionList } from './question_list.ts';

const texts = (list: QuestionList): string[] => list.questions.map(({ text }) => text);
const colors = (list: QuestionList): number[] => list.questions.map(({ color }) => color);

describe('QuestionList', () => {
  it('gives each question an id and a colour of its own', () => {
    const list = QuestionList.of(['who?', 'when?']);
    expect(list.questions).toEqual([
      { id: 0, text: 'who?', color: 0 },
      { id: 1, text: 'when?', color: 1 },
    ]);
  });

  it('edits one question and leaves the list before as it was', () => {
    const before = QuestionList.of(['who?', 'when?']);
    const after = before.edit(1, 'where?');
    expect(texts(after)).toEqual(['who?', 'where?']);
    expect(texts(before)).toEqual(['who?', 'when?']);
    expect(after.questions[1]).toEqual({ id: 1, text: 'where?', color: 1 });
  });

  it('keeps the colours of those that stay, and gives the free one to the next', () => {
    const list = QuestionList.of(['a', 'b', 'c']).remove(1);
    expect(colors(list)).toEqual([0, 2]);
    const added = list.add('d');
    expect(added.questions.at(-1)).toEqual({ id: 3, text: 'd', color: 1 });
  });

  it('shares colours evenly where there are more questions', () => {
    const list = QuestionList.of(Array.from({ length: numColors + 2 }, (_, i) => `q${i}`));
    expect(colors(list)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
  });

  it('never uses an id again, not even in a list that takes the place of another', () => {
    const first = QuestionList.of(['a', 'b']).remove(1);
    expect(QuestionList.of(['c'], first).questions).toEqual([{ id: 2, text: 'c', color: 0 }]);
  });

  it('asks what says something', () => {
    const list = QuestionList.of(['a', '', '  ', 'b']);
    expect(list.asked.map(({ text }) => text)).toEqual(['a', 'b']);
  });
});
