import type { Span } from './aligned_text.ts';
import { isSpace, spelledSpace } from './characters.ts';
import { flag, isFields, parts } from './definition.ts';
import type { DefinitionContext } from './definition.ts';

/** Takes the white space that a token spells off its span's ends. */
export type TrimSpans = (tokens: readonly string[], spans: readonly Span[]) => readonly Span[];

/**
 * What a `post_processor` does to spans: the byte-level ones take off the space that a word begins with.
 *
 * **Source** https://github.com/huggingface/tokenizers, tokenizers/src/pre_tokenizers/byte_level.rs, `process_offsets`.
 */
export function createSpanTrimmer(context: DefinitionContext, definition: unknown): TrimSpans {
  const unchanged: TrimSpans = (_, spans) => spans;
  if (!isFields(definition)) return unchanged;
  if (definition.type === 'Sequence') {
    const steps = parts(context, definition, 'processors').map((one) => createSpanTrimmer(context, one));
    return (tokens, spans) => steps.reduce((before, step) => step(tokens, before), spans);
  }
  if (definition.type !== 'ByteLevel' && definition.type !== 'RobertaProcessing') return unchanged;
  if (!flag(context, definition, 'trim_offsets', true)) return unchanged;
  const spaceWasAdded = flag(context, definition, 'add_prefix_space', true);
  return (tokens, spans) => spans.map((span, i) => trim(tokens[i] ?? '', span, i === 0, spaceWasAdded));
}

function trim(token: string, [start, end]: Span, isFirst: boolean, spaceWasAdded: boolean): Span {
  const chars = Array.from(token);
  const before = chars.findIndex((char) => !isSpelledSpace(char));
  const leading = before < 0 ? chars.length : before;
  const trailing = chars.length - 1 - chars.findLastIndex((char) => !isSpelledSpace(char));
  // A single space at the very beginning is one that was put there, so the span does not have it.
  const isAdded = spaceWasAdded && leading === 1 && (isFirst || start === 0);
  const trimmedStart = isAdded ? start : Math.min(start + leading, end);
  return [trimmedStart, end >= trailing ? Math.max(end - trailing, trimmedStart) : end];
}

const isSpelledSpace = (char: string): boolean => char === spelledSpace || isSpace(char);
