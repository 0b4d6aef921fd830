/** Rules of a charsmap: short texts and what each becomes. */
export type CharsmapRules = ReadonlyMap<string, string>;

/**
 * Rules like SentencePiece's `nmt_nfkc`: controls are dropped, odd spaces become spaces, and what has a compatibility form becomes that,
 * both single characters and letters with one combining mark.
 */
export function compatibilityRules(): CharsmapRules {
  const rules = new Map<string, string>();
  const add = (text: string): void => {
    const form = text.normalize('NFKC');
    if (form !== text) rules.set(text, form);
  };
  for (let code = 0x80; code <= 0x1f9ff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    add(String.fromCodePoint(code));
  }
  for (const letter of 'AEIOUNCYaeiouncy')
    for (let mark = 0x300; mark <= 0x32f; mark++) add(letter + String.fromCharCode(mark));
  for (let code = 1; code < 0x20; code++) rules.set(String.fromCharCode(code), '');
  for (const dropped of ['\u007f', '\u008f', '\u009f']) rules.set(dropped, '');
  for (const space of '\t\n\f\r\u00a0\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u202f\u205f\u2581\u3000\ufeff\ufffd')
    rules.set(space, ' ');
  rules.delete('\uff5e');
  return rules;
}

/**
 * Writes rules as a `precompiled_charsmap`: a double-array trie over UTF-8 bytes and the texts that its values point to, in base64.
 *
 * **Source** https://github.com/s-yata/darts-clone, include/darts.h, for the bits of a unit.
 */
export function charsmapOf(rules: CharsmapRules): string {
  const encoder = new TextEncoder();
  const texts: number[] = [];
  const root: TrieNode = { children: new Map() };
  for (const [from, to] of rules) {
    let node = root;
    for (const byte of encoder.encode(from)) {
      const next: TrieNode = node.children.get(byte) ?? { children: new Map() };
      node.children.set(byte, next);
      node = next;
    }
    node.value = texts.length;
    texts.push(...encoder.encode(to), 0);
  }
  const trie = layOut(root);
  const bytes = Buffer.alloc(4 + trie.length * 4 + texts.length);
  bytes.writeUInt32LE(trie.length * 4, 0);
  trie.forEach((unit, i) => bytes.writeUInt32LE(unit, 4 + i * 4));
  bytes.set(texts, 4 + trie.length * 4);
  return bytes.toString('base64');
}

interface TrieNode {
  readonly children: Map<number, TrieNode>;
  value?: number;
}

/** Finds each node a block of 256 units of which its children's places are free, then points at it. */
function layOut(root: TrieNode): number[] {
  const units = new Map<number, number>([[0, 0]]);
  const usedOffsets = new Set<number>([0]);
  let firstFree = 1;
  const place = (node: TrieNode, at: number, label: number): void => {
    const labels = [...(node.value === undefined ? [] : [0]), ...node.children.keys()];
    let base = firstFree;
    // An offset is the exclusive or of a unit's place and its children's base; far ones must be multiples of 256.
    const fits = (): boolean => {
      const offset = at ^ base;
      const isWritable = offset < 1 << 21 || (offset & 0xff) === 0;
      return isWritable && !usedOffsets.has(base) && labels.every((one) => !units.has(base ^ one));
    };
    while (!fits()) base++;
    usedOffsets.add(base);
    const offset = at ^ base;
    const isFar = offset >= 1 << 21;
    const bits = isFar ? ((offset >>> 8) << 10) | 0x200 : offset << 10;
    units.set(at, (bits | (node.value === undefined ? 0 : 0x100) | label) >>> 0);
    for (const one of labels) units.set(base ^ one, 0);
    while (units.has(firstFree)) firstFree++;
    if (node.value !== undefined) units.set(base, (node.value | 0x80000000) >>> 0);
    for (const [byte, child] of node.children) place(child, base ^ byte, byte);
  };
  place(root, 0, 0);
  const size = (Math.ceil((Math.max(...units.keys()) + 1) / 256) + 1) * 256;
  return Array.from({ length: size }, (_, i) => units.get(i) ?? 0);
}
