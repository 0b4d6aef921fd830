import { describe, expect, it } from 'vitest';
import { parseSeed, readPageOptions } from './page_options.ts';

describe('readPageOptions', () => {
  it('has a default for everything, the model beside the page', () => {
    expect(readPageOptions('https://example.org/play/')).toEqual({
      seed: 1,
      backend: 'auto',
      modelUrl: 'https://example.org/play/models/polyomino-dense/',
      magicBoxUrl: 'https://example.org/play/models/magicbox/',
      isHeadless: false,
    });
  });

  it('reads seed, backend, the models and headless', () => {
    expect(
      readPageOptions(
        'http://localhost:1/?headless&seed=42&backend=cpu&model=models/other/&magicbox=models/third/',
      ),
    ).toEqual({
      seed: 42,
      backend: 'cpu',
      modelUrl: 'http://localhost:1/models/other/',
      magicBoxUrl: 'http://localhost:1/models/third/',
      isHeadless: true,
    });
  });

  it('takes the default for what has no meaning', () => {
    const { seed, backend } = readPageOptions('http://localhost/?seed=-3&backend=abacus');
    expect([seed, backend]).toEqual([1, 'auto']);
  });
});

describe('parseSeed', () => {
  it.each([
    ['0', 0],
    [' 17 ', 17],
    ['4294967295', 4294967295],
    ['4294967296', undefined],
    ['1.5', undefined],
    ['0x10', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, seed) => {
    expect(parseSeed(text)).toBe(seed);
  });
});
