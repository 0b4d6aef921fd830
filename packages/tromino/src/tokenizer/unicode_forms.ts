import type { AlignedText, Edit } from './aligned_text.ts';

/** A Unicode normalisation form. */
export type UnicodeForm = 'NFC' | 'NFD' | 'NFKC' | 'NFKD';

/**
 * Brings a text into a normalisation form and keeps its alignment. `String.prototype.normalize` says what becomes of single characters and
 * pairs; which of them end up where is worked out here, by the standard's algorithm.
 *
 * **Source** Unicode Standard Annex #15; section 3.11 of the Unicode Standard for the order of combining marks.
 */
export function normalizeForm(text: AlignedText, form: UnicodeForm): AlignedText {
  if (text.text.normalize(form) === text.text) return text;
  const decomposed = decompose(text.text, form === 'NFKC' || form === 'NFKD' ? 'NFKD' : 'NFD');
  return text.edit(form === 'NFC' || form === 'NFKC' ? compose(decomposed) : decomposed);
}

/** Decomposed characters, combining marks in canonical order. A mark that changed places keeps its `change`, as in the native library. */
function decompose(text: string, form: 'NFD' | 'NFKD'): Edit[] {
  const edits: Edit[] = [];
  for (const char of text) {
    let change = 0;
    for (const part of char.normalize(form)) {
      edits.push({ char: part, change });
      change = 1;
      sortLast(edits);
    }
  }
  return edits;
}

/** Moves the last mark before those of a higher combining class. */
function sortLast(edits: Edit[]): void {
  for (let place = edits.length - 1; place > 0; place--) {
    const [before, last] = [edits[place - 1], edits[place]];
    if (!before || !last || !reorders(before.char, last.char)) return;
    edits[place - 1] = last;
    edits[place] = before;
  }
}

function compose(decomposed: readonly Edit[]): Edit[] {
  const composed: Edit[] = [];
  /** Where the starter is that marks may join, and the last mark after it that did not. */
  let starter = -1;
  let unjoined: string | undefined;
  for (const edit of decomposed) {
    const before = composed[starter];
    const joined = before && !isBlocked(unjoined, edit.char) ? join(before.char, edit.char) : undefined;
    if (before && joined !== undefined) {
      composed[starter] = { char: joined, change: before.change + edit.change - 1 };
      continue;
    }
    composed.push(edit);
    if (isMark(edit.char)) {
      if (before) unjoined = edit.char;
    } else {
      starter = composed.length - 1;
      unjoined = undefined;
    }
  }
  return composed;
}

/** Whether an unjoined mark stands between a starter and this character: one of the same class, or any mark before a starter. */
function isBlocked(unjoined: string | undefined, char: string): boolean {
  if (unjoined === undefined) return false;
  return !isMark(char) || !reorders(char, unjoined);
}

/** The character that two make together, if there is one. */
function join(a: string, b: string): string | undefined {
  const both = (a + b).normalize('NFC');
  return Array.from(both).length === 1 ? both : undefined;
}

/** Whether canonical order puts the second of two characters first: both are marks, the second's class is lower. */
function reorders(a: string, b: string): boolean {
  if (!mark.test(a) || !mark.test(b)) return false;
  const pair = a + b;
  return pair.normalize('NFD') !== pair;
}

/** Whether a character's combining class is not 0. Greek ypogegrammeni has the highest class, the tilde overlay the lowest. */
function isMark(char: string): boolean {
  return mark.test(char) && (reorders('\u0345', char) || reorders(char, '\u0334'));
}

const mark = /^\p{M}$/u;
