import { SourceError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';

/** Largest piece that a source reads from its medium at once. */
export const pieceBytes = 1 << 20;

/** @throws SourceError when the range does not lie within the file. */
export function requireRange(source: ByteSource, offsetBytes: number, lengthBytes: number): void {
  const valid = Number.isSafeInteger(offsetBytes) && Number.isSafeInteger(lengthBytes) && offsetBytes >= 0;
  if (valid && lengthBytes >= 0 && offsetBytes + lengthBytes <= source.sizeBytes) return;
  const range = `${lengthBytes} bytes from byte ${offsetBytes}`;
  throw new SourceError(source.name, `expected ${range}, found a file of ${source.sizeBytes} bytes`);
}

/**
 * Cuts a range out of pieces that begin at byte `offsetBytes - skipBytes`, and stops as soon as it is complete.
 *
 * @throws SourceError when the pieces end before the range does.
 */
export async function* takeRange(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  range: { readonly skipBytes: number; readonly offsetBytes: number; readonly lengthBytes: number },
): AsyncGenerator<Uint8Array> {
  let skipBytes = range.skipBytes;
  let leftBytes = range.lengthBytes;
  if (leftBytes === 0) return;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.min(skipBytes, piece.length)).subarray(0, leftBytes);
    skipBytes -= Math.min(skipBytes, piece.length);
    leftBytes -= part.length;
    if (part.length > 0) yield part;
    if (leftBytes === 0) return;
  }
  const found = range.lengthBytes - leftBytes;
  throw new SourceError(
    name,
    `expected ${range.lengthBytes} bytes from byte ${range.offsetBytes}, found ${found} before the end`,
  );
}

/** Joins pieces of exactly `lengthBytes` in all into one array. */
export async function collect(pieces: AsyncIterable<Uint8Array>, lengthBytes: number): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  let filledBytes = 0;
  for await (const piece of pieces) {
    if (piece.length === lengthBytes) return piece;
    bytes ??= new Uint8Array(lengthBytes);
    bytes.set(piece, filledBytes);
    filledBytes += piece.length;
  }
  return bytes ?? new Uint8Array(0);
}
