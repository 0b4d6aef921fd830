import type { PostProcessor } from '@huggingface/tokenizers';

/** A place in an encoding: a special token, or where a text's tokens go. */
export type FrameItem =
  | { readonly kind: 'special'; readonly token: string; readonly typeId: number }
  | { readonly kind: 'text' | 'pair'; readonly typeId: number };

/** What a tokenizer puts around one text or a pair. */
export type Frame = readonly FrameItem[];

const textMark = '\u0000text';
const pairMark = '\u0000pair';

/**
 * Finds the special tokens around a text, or around a pair, by processing marks in the texts' places. Every post-processor is such a
 * template; knowing it lets a text be cut to length while what stands around it stays whole.
 */
export function specialTokenFrame(postProcessor: PostProcessor | null, hasPair: boolean): Frame {
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
