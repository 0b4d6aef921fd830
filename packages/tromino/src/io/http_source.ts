import { throwIfAborted } from '../util/abort.ts';
import { SourceError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';
import { bodyPieces, contentLength, contentRange, discardBody, request, versionOf } from './http_response.ts';
import { MemorySource } from './memory_source.ts';
import { collect, requireRange, takeRange } from './ranges.ts';

/** Bytes that opening a file by range brings along: enough for the header of nearly every weight file. */
const prefixBytes = 1 << 17;

/** Largest file that is taken whole. Tokenizers of large vocabularies come to some 40 MB. */
const wholeFileLimitBytes = 1 << 28;

/**
 * Fetches a small file whole; `undefined` when absent. Nothing depends on the stated length: it counts compressed bytes, and that an answer
 * is compressed is hidden from a page of another origin. An answer that is cut breaks its connection, which `bodyPieces` reports.
 */
export async function fetchWhole(
  name: string,
  url: URL,
  signal?: AbortSignal,
): Promise<ByteSource | undefined> {
  const response = await request(name, url, {}, signal);
  if (await isAbsent(name, response)) return undefined;
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bodyPieces(name, response, signal)) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > wholeFileLimitBytes) {
      throw new SourceError(name, `expected at most ${wholeFileLimitBytes} bytes, found more`);
    }
  }
  return new MemorySource(name, concatenate(pieces, sizeBytes));
}

/** Opens a weight file, of which only ranges will be read. `undefined` when absent. */
export async function openRanged(
  name: string,
  url: URL,
  signal?: AbortSignal,
): Promise<ByteSource | undefined> {
  const response = await requestRange(name, url, 0, prefixBytes, signal);
  if (response.status === 416 && contentRange(response)?.totalBytes === 0) {
    await discardBody(response);
    return new MemorySource(name, new Uint8Array(0));
  }
  if (await isAbsent(name, response)) return undefined;
  await refuseHtml(name, response);
  bytesBefore(name, response, 0);
  const sizeBytes = statedSize(response) ?? (await askForSize(name, url, signal));
  const lengthBytes = Math.min(prefixBytes, sizeBytes);
  const range = { skipBytes: 0, offsetBytes: 0, lengthBytes };
  const prefix = await collect(takeRange(name, bodyPieces(name, response, signal), range), lengthBytes);
  const seeks = response.status === 206;
  return new HttpSource(name, url, { sizeBytes, seeks, version: versionOf(response), prefix });
}

/** What the first answer told about a file. */
interface HttpFile {
  readonly sizeBytes: number;
  /** Whether the server honours `Range`. */
  readonly seeks: boolean;
  readonly version: string | undefined;
  readonly prefix: Uint8Array;
}

/**
 * A file behind a URL, read by `Range` requests. A server that ignores `Range` is read from the file's beginning and what comes before
 * the range is skipped: slower, and still never more than a piece in memory. `seeks` tells readers not to come back often.
 */
class HttpSource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly seeks: boolean;
  readonly #url: URL;
  readonly #version: string | undefined;
  readonly #prefix: Uint8Array;

  constructor(name: string, url: URL, file: HttpFile) {
    this.name = name;
    this.sizeBytes = file.sizeBytes;
    this.seeks = file.seeks;
    this.#url = url;
    this.#version = file.version;
    this.#prefix = file.prefix;
  }

  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    return await collect(this.stream(offsetBytes, lengthBytes, signal), lengthBytes);
  }

  async *stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    throwIfAborted(signal);
    requireRange(this, offsetBytes, lengthBytes);
    if (offsetBytes + lengthBytes <= this.#prefix.length) {
      if (lengthBytes > 0) yield this.#prefix.subarray(offsetBytes, offsetBytes + lengthBytes);
      return;
    }
    const response = await requestRange(this.name, this.#url, offsetBytes, lengthBytes, signal);
    try {
      await refuseHtml(this.name, response);
      this.#requireSameFile(response);
      const skipBytes = bytesBefore(this.name, response, offsetBytes);
      const pieces = bodyPieces(this.name, response, signal);
      yield* takeRange(this.name, pieces, { skipBytes, offsetBytes, lengthBytes });
    } finally {
      if (!response.bodyUsed) await discardBody(response);
    }
  }

  #requireSameFile(response: Response): void {
    const sizeBytes = statedSize(response) ?? this.sizeBytes;
    if (sizeBytes !== this.sizeBytes) {
      throw new SourceError(
        this.name,
        `changed while it was read: expected ${this.sizeBytes} bytes in all, found ${sizeBytes}`,
      );
    }
    const version = versionOf(response) ?? this.#version;
    if (version !== this.#version && this.#version !== undefined) {
      throw new SourceError(
        this.name,
        `changed while it was read: expected version ${this.#version}, found ${String(version)}`,
      );
    }
  }
}

async function requestRange(
  name: string,
  url: URL,
  offsetBytes: number,
  lengthBytes: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = { range: `bytes=${offsetBytes}-${offsetBytes + lengthBytes - 1}` };
  return await request(name, url, { headers }, signal);
}

/** How far before the wanted range the answer begins: nowhere if the server honoured the request, at the file's beginning if not. */
function bytesBefore(name: string, response: Response, offsetBytes: number): number {
  if (response.status === 200) return offsetBytes;
  if (response.status !== 206) throw statusError(name, response);
  const firstByte = contentRange(response)?.firstByte ?? offsetBytes;
  if (firstByte === offsetBytes) return 0;
  throw new SourceError(name, `expected a range from byte ${offsetBytes}, found one from byte ${firstByte}`);
}

/** Size of the whole file by an answer to a range request, whether the server honoured it or not. */
function statedSize(response: Response): number | undefined {
  if (response.status === 206) return contentRange(response)?.totalBytes;
  return response.status === 200 ? contentLength(response) : undefined;
}

/** Finds the size of a file whose server hides it from range answers: by `HEAD`, else by reading the body once and keeping nothing. */
async function askForSize(name: string, url: URL, signal: AbortSignal | undefined): Promise<number> {
  const head = await request(name, url, { method: 'HEAD' }, signal);
  const stated = head.status === 200 ? contentLength(head) : undefined;
  if (stated !== undefined) return stated;
  const response = await request(name, url, {}, signal);
  if (response.status !== 200) throw statusError(name, response);
  let sizeBytes = 0;
  for await (const piece of bodyPieces(name, response, signal)) sizeBytes += piece.length;
  return sizeBytes;
}

/** @throws SourceError for every status that means neither "here it is" nor "there is none". */
async function isAbsent(name: string, response: Response): Promise<boolean> {
  if (response.status === 200 || response.status === 206) return false;
  await discardBody(response);
  if (response.status === 404 || response.status === 410) return true;
  throw statusError(name, response);
}

function statusError(name: string, response: Response): SourceError {
  const status = `${response.status} ${response.statusText}`.trim();
  return new SourceError(name, `expected status 200 or 206, found ${status}`);
}

/** Some servers answer for files they do not have with a page that says so, and status 200. */
async function refuseHtml(name: string, response: Response): Promise<void> {
  if (!/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return;
  await discardBody(response);
  throw new SourceError(name, 'expected a weight file, found an HTML page: does the server have this file?');
}

function concatenate(pieces: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
