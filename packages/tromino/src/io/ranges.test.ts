import { describe, expect, it } from 'vitest';
import { SourceError } from '../util/errors.ts';
import { collect, takeRange } from './ranges.ts';

// eslint-disable-next-line @typescript-eslint/require-await -- an async generator is what is tested
async function* piecesOf(state: { closed: boolean }, ...pieces: number[][]): AsyncGenerator<Uint8Array> {
  try {
    for (const piece of pieces) yield Uint8Array.from(piece);
  } finally {
    state.closed = true;
  }
}

async function take(skipBytes: number, lengthBytes: number): Promise<{ bytes: number[]; closed: boolean }> {
  const state = { closed: false };
  const pieces = piecesOf(state, [0, 1, 2], [3], [4, 5, 6, 7]);
  const range = { skipBytes, offsetBytes: skipBytes, lengthBytes };
  const bytes = [...(await collect(takeRange('f', pieces, range), lengthBytes))];
  return { bytes, closed: state.closed };
}

describe('takeRange', () => {
  it.each([
    [0, 3, [0, 1, 2]],
    [1, 1, [1]],
    [2, 3, [2, 3, 4]],
    [4, 4, [4, 5, 6, 7]],
    [0, 8, [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('skips %i bytes, takes %i and closes what it took them from', async (skip, length, expected) => {
    expect(await take(skip, length)).toEqual({ bytes: expected, closed: true });
  });

  it('says how much was there when the pieces end early', async () => {
    await expect(take(5, 4)).rejects.toThrow(
      new SourceError('f', 'expected 4 bytes from byte 5, found 3 before the end'),
    );
  });
});
