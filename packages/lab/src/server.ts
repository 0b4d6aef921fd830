import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, isAbsolute, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { parseRange } from './range.ts';

/** What a URL prefix of the server shows: a folder on disk, a folder behind another URL, or files held in memory. */
export type MountTarget =
  | { readonly folder: string }
  | { readonly url: URL }
  | { readonly files: ReadonlyMap<string, string | Uint8Array> };

/** A running static server on the loopback interface. */
export interface StaticServer extends AsyncDisposable {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  /** Shows `target` under `prefix`, which starts and ends with a slash. The longest matching prefix wins. */
  mount(prefix: string, target: MountTarget): void;
  close(): Promise<void>;
}

/** Options of {@link startServer}. */
export interface ServerOptions {
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number;
}

/**
 * Starts a static server for pages and checkpoints. Its pages are cross-origin isolated, so that their clocks are fine
 * enough to time a dispatch; its files answer range requests, so that weights can be streamed; nothing is cached, so that
 * nothing is stale.
 */
export async function startServer(options: ServerOptions = {}): Promise<StaticServer> {
  const mounts = new Map<string, MountTarget>();
  const server = createServer((request, response) => {
    answer(request, response, mounts).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(options.port ?? 0, '127.0.0.1', listening);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((done) =>
      server.close(() => {
        done();
      }),
    );
    server.closeAllConnections();
    await closed;
  };
  return {
    origin: `http://127.0.0.1:${address.port}`,
    mount: (prefix, target) => void mounts.set(prefix, target),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const isolationHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.map': 'application/json',
};

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  mounts: ReadonlyMap<string, MountTarget>,
): Promise<void> {
  for (const [name, value] of Object.entries(isolationHeaders)) response.setHeader(name, value);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(response, 405, `${request.method ?? 'this method'} is not served`);
    return;
  }
  const path = decodePath(request.url ?? '/');
  const prefix = path === undefined ? undefined : longestPrefix(path, [...mounts.keys()]);
  const target = prefix === undefined ? undefined : mounts.get(prefix);
  if (path === undefined || prefix === undefined || target === undefined) {
    refuse(response, 404, 'nothing is mounted here');
    return;
  }
  const rest = path.slice(prefix.length);
  const name = rest === '' || rest.endsWith('/') ? `${rest}index.html` : rest;
  if ('url' in target) await answerFromUrl(request, response, new URL(`./${name}`, target.url));
  else if ('files' in target) answerFromMemory(request, response, name, target.files.get(name));
  else await answerFromFolder(request, response, target.folder, name);
}

/** The request's path, decoded; undefined for one that no file can have. */
function decodePath(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined; // A per cent sign that starts no escape.
  }
}

function longestPrefix(path: string, prefixes: readonly string[]): string | undefined {
  return prefixes.filter((prefix) => path.startsWith(prefix)).sort((a, b) => b.length - a.length)[0];
}

async function answerFromFolder(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  name: string,
): Promise<void> {
  const file = fileInside(folder, name);
  if (file === undefined) {
    refuse(response, 403, 'the path leads out of the folder');
    return;
  }
  const info = await stat(file).catch(() => undefined);
  if (info?.isFile() !== true) {
    refuse(response, 404, 'no such file');
    return;
  }
  const range = startBody(request, response, name, info.size);
  if (range === undefined) return;
  await pipeBody(createReadStream(file, { start: range.start, end: range.end - 1 }), response);
}

/**
 * The path of `name` inside `folder`, or undefined if it leads out. Links inside the folder are followed: a Hugging Face cache
 * keeps its weights behind them.
 */
export function fileInside(folder: string, name: string): string | undefined {
  const file = resolve(join(folder, name));
  const path = relative(resolve(folder), file);
  return path === '' || path.split(/[\\/]/)[0] === '..' || isAbsolute(path) ? undefined : file;
}

function answerFromMemory(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  content: string | Uint8Array | undefined,
): void {
  if (content === undefined) {
    refuse(response, 404, 'no such file');
    return;
  }
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const range = startBody(request, response, name, bytes.byteLength);
  if (range !== undefined) response.end(bytes.subarray(range.start, range.end));
}

/**
 * Writes status and headers for a file of `sizeBytes` and returns the byte range to send; undefined when the answer ended
 * here (HEAD, an empty file, or a range outside the file).
 */
function startBody(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  sizeBytes: number,
): { start: number; end: number } | undefined {
  const range = parseRange(request.headers.range, sizeBytes);
  response.setHeader('accept-ranges', 'bytes');
  if (range === 'outside') {
    response.setHeader('content-range', `bytes */${sizeBytes}`);
    refuse(response, 416, 'the range lies outside the file');
    return undefined;
  }
  if (range !== undefined)
    response.setHeader('content-range', `bytes ${range.start}-${range.end - 1}/${sizeBytes}`);
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  response.setHeader('content-type', contentTypes[extname(name)] ?? 'application/octet-stream');
  response.setHeader('content-length', end - start);
  response.writeHead(range === undefined ? 200 : 206);
  if (request.method === 'GET' && end > start) return { start, end };
  response.end();
  return undefined;
}

/** Passes a request on to another server, so that a page may read what that server does not share with other origins. */
async function answerFromUrl(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const abandoned = new AbortController();
  response.once('close', () => {
    abandoned.abort();
  });
  // Compressed answers have no byte ranges and a length that is not the file's.
  const headers = {
    'accept-encoding': 'identity',
    ...(request.headers.range && { range: request.headers.range }),
  };
  const method = request.method ?? 'GET';
  const upstream = await fetch(url, { method, headers, signal: abandoned.signal }).catch((error: unknown) => {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    refuse(response, 502, `${url.href}: ${cause}`);
    return undefined;
  });
  if (upstream === undefined) return;
  for (const header of ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag']) {
    const value = upstream.headers.get(header);
    if (value !== null) response.setHeader(header, value);
  }
  if (upstream.headers.has('content-encoding')) response.removeHeader('content-length');
  response.writeHead(upstream.status);
  if (upstream.body === null) response.end();
  else await pipeBody(Readable.fromWeb(upstream.body as ReadableStream), response);
}

/** Sends a stream to its end. A reader that goes away in the middle is no fault of the server. */
async function pipeBody(body: Readable, response: ServerResponse): Promise<void> {
  await pipeline(body, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.destroyed) return;
  response.removeHeader('content-length');
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${reason}\n`);
}
