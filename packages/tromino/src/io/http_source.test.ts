import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SourceError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';
import { openCheckpoint } from './checkpoint_files.ts';
import { serveFile, startFileServer } from './node/testing/file_server.ts';
import type { FileServer, Handler } from './node/testing/file_server.ts';

const content = Uint8Array.from({ length: 400_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
let server: FileServer | undefined;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
  vi.restoreAllMocks();
});

/** Opens `/m/NAME` as the handler serves it. */
async function open(handler: Handler, name = 'model.safetensors'): Promise<ByteSource | undefined> {
  server = await startFileServer({ [`/m/${name}`]: handler });
  return await openCheckpoint(`${server.url}/m`).open(name);
}

async function openPresent(handler: Handler, name?: string): Promise<ByteSource> {
  const source = await open(handler, name);
  if (!source) throw new Error('the file is absent');
  return source;
}

/** Serves well once, then as `later` does. */
function after(later: Handler): Handler {
  let isFirst = true;
  return (request, response) => {
    (isFirst ? serveFile(content) : later)(request, response);
    isFirst = false;
  };
}

const ignoresRange: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': content.length }).end(content);
};

describe('a weight file over HTTP', () => {
  it('is read by ranges, with its beginning in the request that opens it', async () => {
    const source = await openPresent(serveFile(content));
    expect(source.sizeBytes).toBe(400_000);
    expect(source.seeks).toBe(true);
    expect(await source.read(0, 100_000)).toEqual(content.subarray(0, 100_000));
    expect(await source.read(131_000, 1_000)).toEqual(content.subarray(131_000, 132_000));
    expect(await source.read(399_990, 10)).toEqual(content.subarray(399_990));
    expect(await source.read(5, 0)).toEqual(new Uint8Array(0));
    expect(server?.requests).toEqual([
      'GET /m/model.safetensors bytes=0-131071',
      'GET /m/model.safetensors bytes=131000-131999',
      'GET /m/model.safetensors bytes=399990-399999',
    ]);
  });

  it('keeps the query of its folder, and shows it in no message', async () => {
    server = await startFileServer({ '/m/a%20b%23.safetensors': serveFile(content) });
    const files = openCheckpoint(new URL(`${server.url}/m?signature=secret`));
    expect((await files.open('a b#.safetensors'))?.sizeBytes).toBe(400_000);
    expect(server.requests[0]).toBe('GET /m/a%20b%23.safetensors?signature=secret bytes=0-131071');
    expect(files.description).toBe(`${server.url}/m/`);
  });

  it('is absent at 404, whatever page comes with it', async () => {
    server = await startFileServer({});
    expect(await openCheckpoint(`${server.url}/m/`).open('model.safetensors')).toBeUndefined();
    expect(await openCheckpoint(`${server.url}/m/`).open('tokenizer.json')).toBeUndefined();
  });

  it('that is empty has 0 bytes', async () => {
    expect((await openPresent(serveFile(new Uint8Array(0)))).sizeBytes).toBe(0);
  });

  it.each([500, 403, 301])('is an error at status %i', async (status) => {
    const opening = open((_, response) => {
      response.writeHead(status).end('sorry');
    });
    await expect(opening).rejects.toThrow(SourceError);
    await expect(opening).rejects.toThrow(
      new RegExp(`model.safetensors: (expected status.*found ${status}|could not)`),
    );
  });

  it('is an error when it is an HTML page', async () => {
    const opening = open((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html>');
    });
    await expect(opening).rejects.toThrow('model.safetensors: expected a weight file, found an HTML page');
  });

  it('is read by skipping when the server ignores Range', async () => {
    const source = await openPresent(ignoresRange);
    expect(source.sizeBytes).toBe(400_000);
    expect(source.seeks).toBe(false);
    expect(await source.read(200_000, 50_000)).toEqual(content.subarray(200_000, 250_000));
  });

  it('is read when its length is hidden: by HEAD', async () => {
    const source = await openPresent((request, response) => {
      if (request.method === 'HEAD') serveFile(content)(request, response);
      else response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(content);
    });
    expect(source.sizeBytes).toBe(400_000);
  });

  it('is read when its length is nowhere, and when it comes compressed: by counting', async () => {
    const source = await openPresent((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipSync(content).length });
      response.end(request.method === 'HEAD' ? undefined : gzipSync(content));
    });
    expect(source.sizeBytes).toBe(400_000);
    expect(await source.read(300_000, 100_000)).toEqual(content.subarray(300_000));
  });

  it('is read when Content-Range is hidden, as it is from a page of another origin', async () => {
    const source = await openPresent((request, response) => {
      const [first = 0, last = content.length] = (request.headers.range?.match(/\d+/g) ?? []).map(Number);
      if (request.method === 'HEAD') serveFile(content)(request, response);
      else response.writeHead(206).end(content.subarray(first, last + 1));
    });
    expect(source.sizeBytes).toBe(400_000);
    expect(await source.read(300_000, 5)).toEqual(content.subarray(300_000, 300_005));
  });

  it.each([0, 1, 50_000, 99_999])(
    'is an error when the connection is cut after %i bytes',
    async (keptBytes) => {
      const source = await openPresent(
        after((_, response) => {
          const range = { 'content-range': 'bytes 200000-299999/400000', 'content-length': 100_000 };
          response.writeHead(206, range);
          response.write(content.subarray(200_000, 200_000 + keptBytes), () => response.destroy());
        }),
      );
      const reading = source.read(200_000, 100_000);
      await expect(reading).rejects.toThrow(SourceError);
      await expect(reading).rejects.toThrow(/^model.safetensors: /);
    },
  );

  it('is an error when the answer is shorter than the range', async () => {
    const source = await openPresent(
      after((_, response) => {
        response
          .writeHead(206, { 'content-range': 'bytes 200000-200009/400000' })
          .end(content.subarray(0, 10));
      }),
    );
    await expect(source.read(200_000, 100_000)).rejects.toThrow(
      'model.safetensors: expected 100000 bytes from byte 200000, found 10 before the end',
    );
  });

  it('is an error when the answer is another range', async () => {
    const source = await openPresent(
      after((_, response) => {
        response.writeHead(206, { 'content-range': 'bytes 7-16/400000' }).end(content.subarray(7, 17));
      }),
    );
    await expect(source.read(200_000, 10)).rejects.toThrow(
      'expected a range from byte 200000, found one from byte 7',
    );
  });

  it.each<[string, Handler, string]>([
    ['size', serveFile(content.subarray(1)), 'expected 400000 bytes in all, found 399999'],
    ['version', serveFile(content, { etag: '"2"' }), 'expected version "1", found "2"'],
  ])('is an error when its %s changes between requests', async (_, later, message) => {
    const source = await openPresent(after(later));
    await expect(source.read(200_000, 10)).rejects.toThrow(
      `model.safetensors: changed while it was read: ${message}`,
    );
  });

  it('is an error when it vanishes between requests', async () => {
    const source = await openPresent(
      after((_, response) => {
        response.writeHead(404).end();
      }),
    );
    await expect(source.read(200_000, 10)).rejects.toThrow('found 404 Not Found');
  });

  it('is an error when no server answers', async () => {
    server = await startFileServer({});
    const { url } = server;
    await server[Symbol.asyncDispose]();
    server = undefined;
    const opening = openCheckpoint(url).open('model.safetensors');
    await expect(opening).rejects.toThrow(
      `model.safetensors: could not be fetched from ${url}/model.safetensors`,
    );
  });

  it('refuses ranges beyond its end', async () => {
    const source = await openPresent(serveFile(content));
    await expect(source.read(399_999, 2)).rejects.toThrow(
      'expected 2 bytes from byte 399999, found a file of 400000 bytes',
    );
  });

  it('stops sending at once when the signal aborts, and rejects with its reason', async () => {
    let sentBytes = 0;
    let closed: Promise<unknown> = Promise.resolve();
    const endless: Handler = (_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 200000-399999/400000' });
      const timer = setInterval(() => {
        sentBytes += 1000;
        response.write(content.subarray(0, 1000));
      }, 1);
      response.on('close', () => {
        clearInterval(timer);
      });
      closed = once(response, 'close');
    };
    const source = await openPresent(after(endless));
    const controller = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const piece of source.stream(200_000, 200_000, controller.signal)) {
        if (piece.length > 0) controller.abort(reason);
      }
    })();
    await expect(reading).rejects.toBe(reason);
    await closed;
    expect(sentBytes).toBeLessThan(100_000);
  });

  it('sends nothing for a signal that has aborted', async () => {
    const source = await openPresent(serveFile(content));
    await expect(source.read(200_000, 10, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(server?.requests).toHaveLength(1);
  });

  it('closes the connection when the reader leaves early', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const source = await openPresent(
      after((_, response) => {
        closed = once(response, 'close');
        response.writeHead(206, { 'content-range': 'bytes 200000-399999/400000' });
        response.write(content.subarray(0, 1000));
      }),
    );
    for await (const piece of source.stream(200_000, 200_000)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    await closed;
  });
});

describe('a small file over HTTP', () => {
  const text = new TextEncoder().encode(`{"vocabulary": "${'ab'.repeat(10_000)}"}`);

  it('is taken whole, also compressed, whose stated length is another', async () => {
    const source = await openPresent((_, response) => {
      const body = gzipSync(text);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body);
    }, 'tokenizer.json');
    expect(source.sizeBytes).toBe(text.length);
    expect(await source.read(0, source.sizeBytes)).toEqual(text);
    expect(server?.requests).toEqual(['GET /m/tokenizer.json']);
  });

  it('is taken compressed where Content-Encoding is hidden, as it is from a page of another origin', async () => {
    const body = text.slice(0, 200);
    const answer = new Response(body, { headers: { 'content-length': '93' } });
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(answer);
    const source = await openCheckpoint('https://example.org/m').open('config.json');
    expect(await source?.read(0, 200)).toEqual(body);
  });

  it('is taken without a length', async () => {
    const source = await openPresent((_, response) => {
      response.writeHead(200).end(text);
    }, 'config.json');
    expect(source.sizeBytes).toBe(text.length);
  });

  it('is an error when it is cut', async () => {
    const opening = open((_, response) => {
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.subarray(0, 100), () => response.destroy());
    }, 'config.json');
    await expect(opening).rejects.toThrow('config.json: the connection broke before the end of the file');
  });
});
