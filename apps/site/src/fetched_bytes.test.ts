import { afterEach, describe, expect, it, vi } from 'vitest';
import { countFetched, fetchedBytesBelow } from './fetched_bytes.ts';

const entries = [
  { name: 'https://a.example/models/one/config.json', encodedBodySize: 7 },
  { name: 'https://a.example/models/one/model.safetensors?key=1', encodedBodySize: 1000 },
  { name: 'https://a.example/models/one/model.safetensors?key=1', encodedBodySize: 500 },
  { name: 'https://a.example/models/one-more/config.json', encodedBodySize: 90_000 },
  { name: 'https://b.example/models/one/config.json', encodedBodySize: 80_000 },
  { name: 'https://a.example/worker.js', encodedBodySize: 70_000 },
];

afterEach(() => {
  vi.restoreAllMocks();
});

describe('fetchedBytesBelow', () => {
  it.each([
    'https://a.example/models/one/',
    'https://a.example/models/one',
    'https://a.example/models/one?key=1',
  ])('adds what came from %s, in pieces or whole, and nothing else', (url) => {
    expect(fetchedBytesBelow(url, entries)).toBe(1507);
  });
});

describe('countFetched', () => {
  const load = (url: string): ReturnType<typeof countFetched<string>> =>
    countFetched(
      url,
      () => undefined,
      (onProgress) => {
        onProgress({ phase: 'ready', loadedBytes: 1200, totalBytes: 1200, fraction: 1 });
        return Promise.resolve('it');
      },
    );

  it('tells what was fetched, and the weights where the browser tells no sizes', async () => {
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries as unknown as PerformanceEntryList);
    expect(await load('https://a.example/models/one/')).toEqual({ model: 'it', fetchedBytes: 1507 });
    expect(await load('https://elsewhere.example/m/')).toEqual({ model: 'it', fetchedBytes: 1200 });
  });
});
