import { abortable } from '../util/abort.ts';
import { SourceError } from '../util/errors.ts';

/** Fetches `url`; a failure of the network becomes a `SourceError` that names the file. */
export async function request(
  name: string,
  url: URL,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(url, signal ? { ...init, signal } : init);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SourceError(name, `could not be fetched from ${withoutSecrets(url)}`, { cause });
  }
}

/** The URL as messages may show it: queries often carry signatures, user parts passwords. */
export function withoutSecrets(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The body's pieces as they arrive. Leaving early, or an abort, closes the connection. */
export async function* bodyPieces(
  name: string,
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader = response.body.getReader();
  try {
    while (true) {
      const piece = await abortable(reader.read(), signal);
      if (piece.done) return;
      yield piece.value;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SourceError(name, 'the connection broke before the end of the file', { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Drops a body that nobody wants, so that its connection is free again. */
export async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

/** `Content-Range: bytes FIRST-LAST/TOTAL` or `bytes * /TOTAL`; fields that the header leaves open are `undefined`. */
export interface ContentRange {
  readonly firstByte: number | undefined;
  readonly totalBytes: number | undefined;
}

/** Reads `Content-Range`; `undefined` when absent, unreadable, or hidden from a page of another origin. */
export function contentRange(response: Response): ContentRange | undefined {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(?:(\d+)|\*)$/.exec(
    response.headers.get('content-range')?.trim() ?? '',
  );
  if (!match) return undefined;
  return { firstByte: numberOf(match[1]), totalBytes: numberOf(match[2]) };
}

/** `Content-Length`, where it is the length of the file: in an encoded answer it counts the compressed bytes. */
export function contentLength(response: Response): number | undefined {
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  return encoding === 'identity' ? numberOf(response.headers.get('content-length') ?? undefined) : undefined;
}

/** What tells one version of a file from another; `undefined` when the server does not say. */
export function versionOf(response: Response): string | undefined {
  return response.headers.get('etag') ?? response.headers.get('last-modified') ?? undefined;
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined || !/^\d+$/.test(digits) ? undefined : Number(digits);
}
