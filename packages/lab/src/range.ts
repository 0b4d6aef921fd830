/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads an HTTP `Range` header against a file of `sizeBytes`.
 *
 * Returns undefined for no header and for what a server may answer in full (several ranges, another unit, a malformed
 * header), and `'outside'` where the file has none of the bytes.
 *
 * **Source**: RFC 9110, section 14.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | 'outside' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const suffixBytes = Number(last);
    return suffixBytes === 0 || sizeBytes === 0
      ? 'outside'
      : { start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'outside' : { start, end };
}
