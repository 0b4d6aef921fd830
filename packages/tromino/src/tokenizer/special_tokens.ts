import type { PostProcessor } from '@huggingface/tokenizers';
import { isFields } from './definition.ts';

/** A place in an encoding: a special token, or where a text's tokens go. */
export type FrameItem =
  | { readonly kind: 'special'; readonly token: string; readonly typeId: number }
  | { readonly kind: 'text' | 'pair'; readonly typeId: number };

/** What a tokenizer puts around one text or a pair. */
export type Frame = readonly FrameItem[];

/** The frames of one text and of a pair. */
export interface Frames {
  readonly single: Frame;
  readonly pair: Frame;
}

const textMark = '\u0000text';
const pairMark = '\u0000pair';

/**
 * The frames of a post-processor.
 * @param definition its entry in `tokenizer.json`
 */
export function specialTokenFrames(postProcessor: PostProcessor | null, definition: unknown): Frames {
  const frames = {
    single: specialTokenFrame(postProcessor, false),
    pair: specialTokenFrame(postProcessor, true),
  };
  if (!hasOneType(definition)) return frames;
  const ofOneType = (frame: Frame): Frame => frame.map((item) => ({ ...item, typeId: 0 }));
  return { single: ofOneType(frames.single), pair: ofOneType(frames.pair) };
}

/** RoBERTa knows no token types: both texts of a pair have type 0, which the library does not heed. */
function hasOneType(definition: unknown): boolean {
  if (!isFields(definition)) return false;
  if (Array.isArray(definition.processors)) return definition.processors.some(hasOneType);
  return definition.type === 'RobertaProcessing';
}

/**
 * Finds the special tokens around a text, or around a pair, by processing marks in the texts' places. Every post-processor is such a
 * template; knowing it lets a text be cut to length while what stands around it stays whole.
 */
function specialTokenFrame(postProcessor: PostProcessor | null, hasPair: boolean): Frame {
  const processed = postProcessor?.post_process([textMark], hasPair ? [pairMark] : null, true);
  const tokens = processed?.tokens ?? [textMark];
  const items = tokens.map((token, i) => frameItem(token, processed?.token_type_ids?.[i]));
  // Post-processors that add nothing leave the pair aside.
  if (hasPair && !tokens.includes(pairMark)) items.push(frameItem(pairMark, undefined));
  return items;
}

/** The frame without its special tokens. */
export function bareFrame(frame: Frame): Frame {
  return frame.filter((item) => item.kind !== 'special');
}

function frameItem(token: string, typeId: number | undefined): FrameItem {
  if (token === textMark) return { kind: 'text', typeId: typeId ?? 0 };
  if (token === pairMark) return { kind: 'pair', typeId: typeId ?? 1 };
  return { kind: 'special', token, typeId: typeId ?? 0 };
}
