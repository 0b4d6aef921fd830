import { describe, expect, it } from 'vitest';
import { parseRange } from './range.ts';

describe('parseRange', () => {
  it.each([
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=2-5', 10, { start: 2, end: 6 }],
    ['bytes=7-', 10, { start: 7, end: 10 }],
    ['bytes=7-99', 10, { start: 7, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-99', 10, { start: 0, end: 10 }],
    ['bytes=4294967296-4294967303', 2 ** 33, { start: 4294967296, end: 4294967304 }],
  ] as const)('reads %s of %i bytes', (header, sizeBytes, range) => {
    expect(parseRange(header, sizeBytes)).toEqual(range);
  });

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-12', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
  ] as const)('finds none of the bytes of %s in %i bytes', (header, sizeBytes) => {
    expect(parseRange(header, sizeBytes)).toBe('outside');
  });

  it.each([undefined, '', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=a-b'])(
    'answers %s in full',
    (header) => {
      expect(parseRange(header, 10)).toBeUndefined();
    },
  );
});
