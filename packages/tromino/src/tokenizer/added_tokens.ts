import { AlignedText } from './aligned_text.ts';
import { flag, isFields, text as textField, wrongField } from './definition.ts';
import type { DefinitionContext, Fields } from './definition.ts';
import type { Normalize } from './normalizers.ts';

/** A token that is found in a text as it stands, before the model sees the rest. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Only where no letter or digit stands beside it. */
  readonly singleWord: boolean;
  /** Takes the white space before it. */
  readonly stripsLeft: boolean;
  /** Takes the white space after it. */
  readonly stripsRight: boolean;
  /** Found in the normalised text, in its own normalised form. */
  readonly isNormalized: boolean;
  /** Not text, but something that the model was trained to read. */
  readonly isSpecial: boolean;
}

/** A part of a text: an added token, or text for the model. */
export interface TextPart {
  readonly text: AlignedText;
  readonly added: AddedToken | undefined;
}

/** The `added_tokens` of a `tokenizer.json`. @throws FormatError for entries that are no tokens. */
export function readAddedTokens(context: DefinitionContext, definition: unknown): readonly AddedToken[] {
  if (definition === undefined || definition === null) return [];
  const list: Fields = { type: 'tokenizer', added_tokens: definition };
  if (!Array.isArray(definition) || !definition.every(isFields))
    throw wrongField(context, list, 'added_tokens', 'a list of tokens');
  return definition.map((entry): AddedToken => {
    const fields: Fields = { ...entry, type: 'added_tokens' };
    if (!Number.isSafeInteger(fields.id) || (fields.id as number) < 0)
      throw wrongField(context, fields, 'id', 'an id');
    return {
      id: fields.id as number,
      content: textField(context, fields, 'content'),
      singleWord: flag(context, fields, 'single_word', false),
      stripsLeft: flag(context, fields, 'lstrip', false),
      stripsRight: flag(context, fields, 'rstrip', false),
      isSpecial: flag(context, fields, 'special', false),
      isNormalized: flag(context, fields, 'normalized', !flag(context, fields, 'special', false)),
    };
  });
}

/** Finds some added tokens in texts. */
class AddedTokenFinder {
  /** Tokens by the first unit of what is looked for, longest first. */
  readonly #byFirstUnit = new Map<string, { readonly sought: string; readonly token: AddedToken }[]>();

  /** @param form what each is looked for as. */
  constructor(tokens: readonly AddedToken[], form: (content: string) => string) {
    for (const token of tokens) {
      const sought = form(token.content);
      if (sought === '') continue;
      const first = sought.charAt(0);
      const known = this.#byFirstUnit.get(first) ?? [];
      known.push({ sought, token });
      this.#byFirstUnit.set(first, known);
    }
    for (const known of this.#byFirstUnit.values()) known.sort((a, b) => b.sought.length - a.sought.length);
  }

  /** Cuts a text where tokens stand: the leftmost first, of several the longest. */
  split(text: AlignedText): readonly TextPart[] {
    if (text.text === '') return [];
    const parts: TextPart[] = [];
    const whole = text.text;
    let done = 0;
    const add = (start: number, end: number, added: AddedToken | undefined): void => {
      if (start < end) parts.push({ text: text.slice(start, end), added });
    };
    for (let place = 0; place < whole.length;) {
      const found = this.#at(whole, place);
      const matchEnd = place + (found?.sought.length ?? 1);
      if (found && !(found.token.singleWord && touchesWord(whole, place, matchEnd))) {
        const start = found.token.stripsLeft ? Math.max(spaceStart(whole, place), done) : place;
        const end = found.token.stripsRight ? spaceEnd(whole, matchEnd) : matchEnd;
        add(done, start, undefined);
        add(start, end, found.token);
        done = end;
      }
      place = Math.max(matchEnd, done);
    }
    add(done, whole.length, undefined);
    return parts;
  }

  #at(text: string, place: number): { readonly sought: string; readonly token: AddedToken } | undefined {
    return this.#byFirstUnit.get(text.charAt(place))?.find(({ sought }) => text.startsWith(sought, place));
  }
}

/** Splits a text at its added tokens and normalises what is between them. */
export function createAddedTokenSplitter(
  tokens: readonly AddedToken[],
  normalize: Normalize,
): (text: AlignedText) => readonly TextPart[] {
  const verbatim = new AddedTokenFinder(
    tokens.filter(({ isNormalized }) => !isNormalized),
    (content) => content,
  );
  const normalized = new AddedTokenFinder(
    tokens.filter(({ isNormalized }) => isNormalized),
    (content) => normalize(AlignedText.of(content)).text,
  );
  return (text) =>
    verbatim.split(text).flatMap((part) => (part.added ? [part] : normalized.split(normalize(part.text))));
}

const wordUnit = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';
const endsWithWord = new RegExp(`${wordUnit}$`, 'u');
const startsWithWord = new RegExp(`^${wordUnit}`, 'u');

function touchesWord(text: string, start: number, end: number): boolean {
  return (
    endsWithWord.test(text.slice(Math.max(0, start - 2), start)) ||
    startsWithWord.test(text.slice(end, end + 2))
  );
}

const spaceUnit = /^\p{White_Space}$/u;

function spaceStart(text: string, place: number): number {
  while (place > 0 && spaceUnit.test(text.charAt(place - 1))) place--;
  return place;
}

function spaceEnd(text: string, place: number): number {
  while (place < text.length && spaceUnit.test(text.charAt(place))) place++;
  return place;
}
