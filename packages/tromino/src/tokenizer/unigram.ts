import { must } from '../util/assert.ts';

/** A piece of a word with its token; none for text that the vocabulary does not have. */
export interface UnigramPiece {
  readonly id: number | undefined;
  readonly start: number;
  readonly end: number;
}

/** The best way to a place in a word. */
interface Step {
  readonly score: number;
  readonly start: number;
  readonly id: number | undefined;
}

/** How much less likely an unknown character is than the least likely piece. */
const unknownPenalty = 10;

/**
 * Cuts words into the pieces whose log-likelihoods have the largest sum. Of equal sums the one is taken that ends in the longer piece, which
 * is why this is done here and not by the library: it follows the native order of additions and comparisons.
 *
 * **Source** Kudo, "Subword Regularization", 2018; https://github.com/google/sentencepiece, src/unigram_model.cc, `EncodeOptimized`.
 */
export class Unigram {
  readonly #pieces = new Map<string, { readonly id: number; readonly score: number }>();
  readonly #unknownId: number | undefined;
  readonly #unknownScore: number;
  readonly #longest: number;

  constructor(
    vocabulary: readonly (readonly [piece: string, score: number])[],
    unknownId: number | undefined,
  ) {
    let [least, longest] = [Infinity, 0];
    vocabulary.forEach(([piece, score], id) => {
      this.#pieces.set(piece, { id, score });
      least = Math.min(least, score);
      longest = Math.max(longest, piece.length);
    });
    this.#unknownId = unknownId;
    this.#unknownScore = least - unknownPenalty;
    this.#longest = longest;
  }

  /** Pieces in order; unknown characters in a row are one piece. */
  cut(word: string): readonly UnigramPiece[] {
    const best = this.#bestSteps(word);
    const pieces: UnigramPiece[] = [];
    for (let end = word.length; end > 0;) {
      const { start, id } = must(best[end], 'step');
      const after = pieces.at(-1);
      if (after && id === this.#unknownId && after.id === id) pieces[pieces.length - 1] = { ...after, start };
      else pieces.push({ id, start, end });
      end = start;
    }
    return pieces.reverse();
  }

  #bestSteps(word: string): readonly (Step | undefined)[] {
    const best: (Step | undefined)[] = [{ score: 0, start: 0, id: undefined }];
    for (let start = 0; start < word.length;) {
      const { score: before } = must(best[start], 'step');
      const charEnd = start + ((word.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
      const offer = (end: number, score: number, id: number | undefined): void => {
        const known = best[end];
        if (!known || score + before > known.score) best[end] = { score: score + before, start, id };
      };
      let hasChar = false;
      for (let end = charEnd; end <= Math.min(word.length, start + this.#longest); end++) {
        const piece = this.#pieces.get(word.slice(start, end));
        if (!piece) continue;
        offer(end, piece.score, piece.id);
        hasChar ||= end === charEnd;
      }
      if (!hasChar) offer(charEnd, this.#unknownScore, this.#unknownId);
      start = charEnd;
    }
    return best;
  }
}
