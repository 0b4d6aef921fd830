import { expect, it } from 'vitest';
import { mapTexts, TextPlaces } from './text_calls.ts';

it.each([
  ['no white space', 'ab  c', [0, 4], [0, 2]],
  ['nothing of white space', 'a \n b', [1, 4], undefined],
  ['nothing of nothing', 'ab', [1, 1], undefined],
  ['a letter with its accent', 'cafe\u0301s', [2, 4], [2, 5]],
  ['an accent with its letter', 'cafe\u0301s', [4, 6], [3, 6]],
  ['a whole emoji', 'a👩‍👧b', [2, 3], [1, 6]],
  ['both halves of a surrogate pair', 'a👍', [1, 2], [1, 3]],
  ['a letter behind a line break', 'a\r\nb', [2, 4], [3, 4]],
  ['the letters of Latin-1', 'é\u00adß', [1, 3], [1, 3]],
] as const)('a span has %s', (_, text, [from, to], expected) => {
  const span = new TextPlaces(text).span([from, to]);
  expect(span && [span.start, span.end]).toEqual(expected);
  expect(span?.text).toBe(expected && text.slice(...expected));
});

it('breaks text below U+0300 where the segmenter does', () => {
  const codes = Array.from({ length: 0x300 }, (_, code) => code).filter(
    (code) => !/\s/.test(String.fromCharCode(code)),
  );
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const text = codes
    .flatMap((code) => [code, 0x41, code, code, 0xa9])
    .map((code) => String.fromCharCode(code))
    .join('');
  expect([...graphemes.segment(text)].length).toBe(text.length);
  const places = new TextPlaces(text);
  for (let place = 0; place < text.length; place++)
    expect(places.span([place, place + 1])).toMatchObject({ start: place, end: place + 1 });
});

it('makes something of each text, in order, and stops between long ones when the signal says so', async () => {
  const lengths = (text: string, index: number): number[] => [index, text.length];
  expect(await mapTexts(['a', '', 'abc'], undefined, lengths)).toEqual([0, 1, 1, 0, 2, 3]);
  const long = 'x'.repeat(20_000);
  const controller = new AbortController();
  const seen: number[] = [];
  const mapped = mapTexts([long, long, long, long], controller.signal, (_, index) => {
    seen.push(index);
    // An event: it can happen in a turn of its own only.
    if (index === 1)
      setTimeout(() => {
        controller.abort(new Error('enough'));
      });
    return [];
  });
  await expect(mapped).rejects.toThrow('enough');
  expect(seen).toEqual([0, 1]);
});
