/** A run of a text's tokens: from `start` up to `end`, not included. */
export interface TokenWindow {
  readonly start: number;
  readonly end: number;
}

/** Windows of at most `room` tokens over all of a text's, of which neighbours share `overlap`, or half of the room where that is less; one where there are none. */
export function windowsOf(numTokens: number, room: number, overlap: number): TokenWindow[] {
  const step = room - Math.min(Math.max(overlap, 0), Math.floor(room / 2));
  const windows: TokenWindow[] = [];
  for (let start = 0; ; start += step) {
    windows.push({ start, end: Math.min(numTokens, start + room) });
    if (start + room >= numTokens) return windows;
  }
}
