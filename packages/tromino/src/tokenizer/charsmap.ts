import { FormatError } from '../util/errors.ts';

/**
 * A SentencePiece `precompiled_charsmap`: which short byte sequences become which text. It is a double-array trie of 32-bit units, whose
 * values point into a block of texts that end with a zero byte.
 *
 * **Source** https://github.com/google/sentencepiece, src/normalizer.cc; https://github.com/s-yata/darts-clone, include/darts.h.
 */
export class Charsmap {
  readonly #trie: Uint32Array;
  readonly #texts: Uint8Array;

  /** @throws FormatError for bytes that are no such map. */
  constructor(file: string, base64: string) {
    const bytes = fromBase64(file, base64);
    const trieBytes = bytes.length < 4 ? NaN : new DataView(bytes.buffer).getUint32(0, true);
    if (!(trieBytes > 0 && trieBytes % 4 === 0 && trieBytes <= bytes.length - 4)) {
      const found = `one of ${trieBytes} bytes within ${bytes.length}`;
      throw new FormatError(file, `precompiled_charsmap: expected a trie and its texts, found ${found}`);
    }
    const view = new DataView(bytes.buffer, 4, trieBytes);
    this.#trie = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => view.getUint32(i * 4, true));
    this.#texts = bytes.subarray(4 + trieBytes);
  }

  /** What the shortest mapped beginning of `chunk` becomes, or undefined where none is mapped. */
  lookUp(chunk: string): string | undefined {
    const start = this.#find(encoder.encode(chunk));
    if (start === undefined || start >= this.#texts.length) return undefined;
    const end = this.#texts.indexOf(0, start);
    return decoder.decode(this.#texts.subarray(start, end < 0 ? undefined : end));
  }

  #find(key: Uint8Array): number | undefined {
    let place = childrenOffset(this.#trie[0] ?? 0);
    for (const byte of key) {
      place ^= byte;
      const unit = this.#trie[place];
      if (byte === 0 || unit === undefined || label(unit) !== byte) return undefined;
      place ^= childrenOffset(unit);
      if (hasLeaf(unit)) return value(this.#trie[place] ?? 0);
    }
    return undefined;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// The bits of a unit: 0-7 label, 8 whether its first child is a leaf, 9 whether the offset counts in 256s, 10-30 offset; 31 marks a leaf.
const label = (unit: number): number => (unit & 0x800000ff) >>> 0;
const hasLeaf = (unit: number): boolean => (unit & 0x100) !== 0;
const childrenOffset = (unit: number): number => ((unit >>> 10) << ((unit & 0x200) >>> 6)) >>> 0;
const value = (unit: number): number => unit & 0x7fffffff;

function fromBase64(file: string, base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw new FormatError(file, 'precompiled_charsmap: expected base64, found other text');
  }
}
