import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { beforeAll, describe, expect, it } from 'vitest';
import { corpus } from '../../test/tokenizers/corpus.ts';
import {
  bertUncased,
  robertaBytePairs,
  sentenceUnigrams,
  type TokenizerDefinition,
} from '../../test/tokenizers/vocabularies.ts';
import type { Span } from './aligned_text.ts';
import { createTokenizer } from './create_tokenizer.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Ids, and the text from and to where each was found. */
type Found = readonly (readonly [id: number, start: number, end: number])[];

const kinds: readonly [string, () => TokenizerDefinition][] = [
  ['WordPiece (bert-base-uncased)', bertUncased],
  ['byte-level pairs (gpt2, roberta)', robertaBytePairs],
  ['unigrams (universal sentence encoder)', sentenceUnigrams],
];

describe.each(kinds)('%s', (_, define) => {
  let ours: Tokenizer;
  let native: NativeTokenizer;
  beforeAll(async () => {
    ours = await createTokenizer('tokenizer.json', define());
    native = NativeTokenizer.fromString(JSON.stringify(define()));
  });

  it.each(corpus)('finds the native spans in %j', async (text) => {
    const expected = await native.encode(text);
    expect(found(ours.encode(text))).toEqual(inUnits(text, expected.getIds(), expected.getOffsets()));
  });
});

function found({ ids, spans }: { readonly ids: readonly number[]; readonly spans: readonly Span[] }): Found {
  return ids.map((id, i) => [id, ...(spans[i] ?? [-1, -1])]);
}

/** The native library counts characters. */
function inUnits(text: string, ids: readonly number[], spans: readonly (readonly number[])[]): Found {
  const places = [0];
  for (const char of text) places.push((places.at(-1) ?? 0) + char.length);
  return ids.map((id, i) => [id, places[spans[i]?.[0] ?? -1] ?? -1, places[spans[i]?.[1] ?? -1] ?? -1]);
}
