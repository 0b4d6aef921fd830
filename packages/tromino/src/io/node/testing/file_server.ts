import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request, well or badly. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on the local machine for tests of what servers do. */
export interface FileServer extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path range` of every request so far. */
  readonly requests: readonly string[];
}

/** Starts a server that answers each path with its handler, and others with 404 and an HTML page. */
export async function startFileServer(handlers: Readonly<Record<string, Handler>>): Promise<FileServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(
      [request.method, path, request.headers.range].filter((part) => part !== undefined).join(' '),
    );
    const handler = handlers[path.split('?')[0] ?? ''];
    if (handler) handler(request, response);
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><p>no such file');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves bytes as good servers do: ranges, lengths, an ETag. */
export function serveFile(content: Uint8Array, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (!match) {
      response.writeHead(200, { 'content-length': content.length, etag: '"1"', ...headers });
      response.end(request.method === 'HEAD' ? undefined : content);
      return;
    }
    const first = Number(match[1]);
    if (first >= content.length) {
      response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
      return;
    }
    const part = content.subarray(first, Number(match[2]) + 1);
    const range = `bytes ${first}-${first + part.length - 1}/${content.length}`;
    response.writeHead(206, {
      'content-range': range,
      'content-length': part.length,
      etag: '"1"',
      ...headers,
    });
    response.end(part);
  };
}
