import type { Span } from './aligned_text.ts';
import { isSpace, spelledSpace } from './characters.ts';
import { flag, isFields, parts } from './definition.ts';
import type { DefinitionContext } from './definition.ts';

/** Takes the white space that a token spells off its span's ends. */
export type TrimSpans = (text: string, tokens: readonly string[], spans: readonly Span[]) => readonly Span[];

/**
 * What a `post_processor` does to spans: the byte-level ones take off the space that a word begins with.
 *
 * **Source** https://github.com/huggingface/tokenizers, tokenizers/src/pre_tokenizers/byte_level.rs, `process_offsets`.
 */
export function createSpanTrimmer(context: DefinitionContext, definition: unknown): TrimSpans {
  const unchanged: TrimSpans = (_text, _tokens, spans) => spans;
  if (!isFields(definition)) return unchanged;
  if (definition.type === 'Sequence') {
    const steps = parts(context, definition, 'processors').map((one) => createSpanTrimmer(context, one));
    return (text, tokens, spans) => steps.reduce((before, step) => step(text, tokens, before), spans);
  }
  if (definition.type !== 'ByteLevel' && definition.type !== 'RobertaProcessing') return unchanged;
  if (!flag(context, definition, 'trim_offsets', true)) return unchanged;
  const spaceWasAdded = flag(context, definition, 'add_prefix_space', true);
  return (text, tokens, spans) =>
    spans.map((span, i) => {
      const chars = Array.from(tokens[i] ?? '');
      const before = chars.findIndex((char) => !isSpelledSpace(char));
      const leading = before < 0 ? chars.length : before;
      const trailing = chars.length - 1 - chars.findLastIndex((char) => !isSpelledSpace(char));
      // A single space at the very beginning is one that was put there, so the span does not have it.
      const isAdded = spaceWasAdded && leading === 1 && (i === 0 || span[0] === 0);
      return narrow(text, span, isAdded ? 0 : leading, trailing);
    });
}

/** Takes characters off both ends, the beginning first, and stops where nothing is left. */
function narrow(text: string, [start, end]: Span, leading: number, trailing: number): Span {
  for (let i = 0; i < leading && start < end; i++) start += (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
  for (let i = 0; i < trailing && end > start; i++) end -= isPairBefore(text, end) ? 2 : 1;
  return [start, end];
}

const isPairBefore = (text: string, place: number): boolean => (text.codePointAt(place - 2) ?? 0) > 0xffff;

const isSpelledSpace = (char: string): boolean => char === spelledSpace || isSpace(char);
