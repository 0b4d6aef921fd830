import { describe, expect, it } from 'vitest';
import { followEdit, litParts } from './lit_text.ts';

describe('litParts', () => {
  it('cuts a text around its spans', () => {
    const spans = [
      { question: 7, start: 5, end: 8 },
      { question: 2, start: 12, end: 16 },
    ];
    expect(litParts('call Ana at noon', spans)).toEqual([
      { text: 'call ', questions: [], begins: [] },
      { text: 'Ana', questions: [7], begins: [7] },
      { text: ' at ', questions: [], begins: [] },
      { text: 'noon', questions: [2], begins: [2] },
    ]);
  });

  it('lights what spans share for each of them', () => {
    const spans = [
      { question: 1, start: 0, end: 6 },
      { question: 2, start: 3, end: 9 },
      { question: 3, start: 3, end: 6 },
    ];
    expect(litParts('abcdefghij', spans)).toEqual([
      { text: 'abc', questions: [1], begins: [1] },
      { text: 'def', questions: [1, 2, 3], begins: [2, 3] },
      { text: 'ghi', questions: [2], begins: [] },
      { text: 'j', questions: [], begins: [] },
    ]);
  });

  it('cuts off what reaches beyond the text, and has no part of no length', () => {
    expect(litParts('ab', [{ question: 1, start: 1, end: 9 }])).toEqual([
      { text: 'a', questions: [], begins: [] },
      { text: 'b', questions: [1], begins: [1] },
    ]);
    expect(
      litParts('ab', [{ question: 1, start: 1, end: 1 }]).every(({ questions }) => questions.length === 0),
    ).toBe(true);
    expect(litParts('', [{ question: 1, start: 0, end: 3 }])).toEqual([]);
  });

  it('loses no character, whatever the spans', () => {
    const text = 'Café 👩‍👩‍👧 at 5\n';
    const spans = Array.from({ length: 12 }, (_, i) => ({ question: i, start: i, end: (i * 7) % 20 }));
    expect(
      litParts(text, spans)
        .map((part) => part.text)
        .join(''),
    ).toBe(text);
  });
});

describe('followEdit', () => {
  const before = 'call Ana at noon';
  const ana = { start: 5, end: 8 };
  const noon = { start: 12, end: 16 };
  const after = (text: string): string[] =>
    followEdit([ana, noon], before, text).map(({ start, end }) => text.slice(start, end));

  it.each([
    ['words added between', 'call Ana tomorrow at noon', ['Ana', 'noon']],
    ['words added in front', 'please call Ana at noon', ['Ana', 'noon']],
    ['words added behind', 'call Ana at noon sharp', ['Ana', 'noon']],
    ['words taken away', 'call Ana noon', ['Ana', 'noon']],
    ['an answer changed', 'call Anna at noon', ['noon']],
    ['all changed', 'write to Bo', []],
    ['nothing left', '', []],
    ['nothing changed', before, ['Ana', 'noon']],
  ])('with %s', (_, text, kept) => {
    expect(after(text)).toEqual(kept);
  });

  it('counts no character twice where head and tail are alike', () => {
    expect(followEdit([{ start: 1, end: 2 }], 'aa', 'aaa')).toEqual([{ start: 1, end: 2 }]);
    expect(followEdit([{ start: 0, end: 1 }], 'aaa', 'a')).toEqual([{ start: 0, end: 1 }]);
  });
});
