import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileInside, startServer, type StaticServer } from './server.ts';

let folder: string;
let server: StaticServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tromino-server-'));
  await mkdir(join(folder, 'public/deep'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'public/ten.bin'), '0123456789');
  await writeFile(join(folder, 'public/empty.bin'), '');
  await writeFile(join(folder, 'public/deep/index.html'), '<p>deep');
  await writeFile(join(folder, 'blob'), 'linked');
  await symlink(join(folder, 'blob'), join(folder, 'public/link.bin'));
  server = await startServer();
  server.mount('/public/', { folder: join(folder, 'public') });
  server.mount('/public/memory/', { files: new Map([['page.js', 'export {};']]) });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.origin + path, { headers });

/** Sends a request line as it is: `fetch` would tidy the path up before the server could see it. */
async function getVerbatim(path: string): Promise<string> {
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return readText(socket);
}

describe('the static server', () => {
  it('sends a whole file, isolated and uncached', async () => {
    const response = await get('/public/ten.bin');
    expect(await response.text()).toBe('0123456789');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': '10',
      'accept-ranges': 'bytes',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cache-control': 'no-store',
    });
  });

  it('sends just the range that is asked for', async () => {
    const response = await get('/public/ten.bin', { range: 'bytes=3-5' });
    expect([response.status, await response.text()]).toEqual([206, '345']);
    expect(response.headers.get('content-range')).toBe('bytes 3-5/10');
  });

  it('refuses a range outside the file and says how long the file is', async () => {
    const response = await get('/public/ten.bin', { range: 'bytes=10-' });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  it('answers HEAD with the length and no body', async () => {
    const response = await fetch(`${server.origin}/public/ten.bin`, { method: 'HEAD' });
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['10', '']);
  });

  it('sends an empty file, a folder index, a linked file and a file held in memory', async () => {
    const paths = ['/public/empty.bin', '/public/deep/', '/public/link.bin', '/public/memory/page.js'];
    const bodies = await Promise.all(paths.map(async (path) => (await get(path)).text()));
    expect(bodies).toEqual(['', '<p>deep', 'linked', 'export {};']);
  });

  it('answers what is not there with 404, never with a page', async () => {
    const response = await get('/public/none.json');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/plain; charset=utf-8',
    ]);
    expect((await get('/elsewhere')).status).toBe(404);
  });

  it.each([
    '/public/../secret.txt',
    '/public/%2e%2e/secret.txt',
    '/public/..%2fsecret.txt',
    '/public/deep/../../secret.txt',
    '/public//../../secret.txt',
    '/public/%00',
    '/public/%E0%A4%A',
  ])('does not leave its folder for %s', async (path) => {
    const answer = await getVerbatim(path);
    expect(answer).toMatch(/^HTTP\/1\.1 40[34] /);
    expect(answer).not.toContain('secret\n');
  });

  it('does not accept uploads', async () => {
    const response = await fetch(`${server.origin}/public/ten.bin`, { method: 'PUT', body: 'x' });
    expect(response.status).toBe(405);
  });

  it('passes requests on to a mounted URL, ranges and failures too', async () => {
    await using front = await startServer();
    front.mount('/far/', { url: new URL('/public/', server.origin) });
    front.mount('/gone/', { url: new URL('http://127.0.0.1:1/') });
    const part = await fetch(`${front.origin}/far/ten.bin`, { headers: { range: 'bytes=8-' } });
    expect([part.status, await part.text()]).toEqual([206, '89']);
    expect((await fetch(`${front.origin}/far/none`)).status).toBe(404);
    expect((await fetch(`${front.origin}/gone/x`)).status).toBe(502);
  });
});

describe('fileInside', () => {
  it('accepts names inside the folder, also those that start with dots', () => {
    expect(fileInside('/models/a', '..weights')).toBe('/models/a/..weights');
    expect(fileInside('/models/a', 'b/../c')).toBe('/models/a/c');
  });

  it('refuses names that lead out of the folder, or to the folder itself', () => {
    expect(['../b', 'b/../../c', '.', ''].map((name) => fileInside('/models/a', name))).toEqual(
      Array(4).fill(undefined),
    );
  });
});
