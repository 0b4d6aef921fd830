import { describe } from './describe.ts';
import { OptionError } from './errors.ts';

/** Names of an interface's options: each must stand there, so that an option that is added cannot be forgotten. */
export function optionNames<Options>(names: Record<keyof Options, true>): readonly string[] {
  return Object.keys(names);
}

/**
 * Callers without types may pass anything, and a misspelt option would do nothing without a word.
 * @throws OptionError for options that are no object, and for one that the call does not know, with the known one that is spelled most like it.
 */
export function requireKnownOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new OptionError('options', 'an object', describe(options));
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new OptionError(name, `a known option, as ${nearest(name, known)}`, 'an unknown one');
  }
}

function nearest(name: string, known: readonly string[]): string {
  const distances = known.map((other) => editDistance(name.toLowerCase(), other.toLowerCase()));
  return known[distances.indexOf(Math.min(...distances))] ?? 'none';
}

/** How many letters must be added, dropped or replaced to make one word the other (Levenshtein's distance). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let length = 1; length <= a.length; length++) {
    const next = [length];
    for (let column = 1; column <= b.length; column++) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]];
      next.push(Math.min(left + 1, above + 1, diagonal + (a[length - 1] === b[column - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
