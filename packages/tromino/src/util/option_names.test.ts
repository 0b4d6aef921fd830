import { describe, expect, it } from 'vitest';
import { OptionError } from './errors.ts';
import { optionNames, requireKnownOptions } from './option_names.ts';

const known = optionNames<{
  signal?: unknown;
  topK?: unknown;
  maxAnswerTokens?: unknown;
  onProgress?: unknown;
}>({
  signal: true,
  topK: true,
  maxAnswerTokens: true,
  onProgress: true,
});

describe('requireKnownOptions', () => {
  it('takes what is known, whatever the value, and nothing at all', () => {
    expect(() => {
      requireKnownOptions({}, known);
      requireKnownOptions({ topK: undefined, signal: 5 }, known);
    }).not.toThrow();
  });

  it.each([
    ['topk', 'topK'],
    ['top_k', 'topK'],
    ['onprogress', 'onProgress'],
    ['maxAnswerToken', 'maxAnswerTokens'],
    ['max_answer_tokens', 'maxAnswerTokens'],
    ['signals', 'signal'],
    ['single', 'signal'],
    ['', 'topK'],
  ])('refuses "%s" and names %s', (name, nearest) => {
    const refused = (): void => {
      requireKnownOptions({ topK: 1, [name]: undefined }, known);
    };
    expect(refused).toThrow(new OptionError(name, `a known option, as ${nearest}`, 'an unknown one'));
    expect(refused).toThrow(OptionError);
  });

  it.each([null, 5, 'topK', undefined])('refuses what is no object: %s', (options) => {
    expect(() => {
      requireKnownOptions(options, known);
    }).toThrow('options: expected an object');
  });
});
