/** Classes of characters, as the native library has them; each takes one character. */

/** White space of any kind. */
export const isSpace = (char: string): boolean => /^\p{White_Space}$/u.test(char);

/** Controls, formats, private and unassigned: what BERT drops, but for tab and line ends. */
export const isControl = (char: string): boolean => /^[^\P{C}\t\n\r]$/u.test(char);

/** Whether BERT takes this for a Chinese character and puts spaces around it. */
export function isChinese(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return chineseBlocks.some(([first, last]) => code >= first && code <= last);
}

const chineseBlocks = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
] as const;

/** The characters that byte-level vocabularies spell bytes with: printable ones stand for themselves, the others follow from U+0100 on. */
const byteChars: readonly string[] = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(isPrintable ? byte : next++);
  });
})();

const encoder = new TextEncoder();

/** A character's UTF-8 bytes in the spelling of byte-level vocabularies. */
export function spellBytes(char: string): string {
  return Array.from(encoder.encode(char), (byte) => byteChars[byte]).join('');
}

/** How byte-level vocabularies spell a space. */
export const spelledSpace = spellBytes(' ');
