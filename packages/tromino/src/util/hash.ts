/**
 * A 64-bit fingerprint of a text as 16 hex digits: two FNV-1a style lanes with different multipliers, mixed at the end. It names plans
 * and shaders so that two builds can be compared; it is no defence against someone who wants a collision.
 */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  a = Math.imul(a ^ (a >>> 16) ^ b, 0x7feb352d);
  b = Math.imul(b ^ (b >>> 15) ^ a, 0x846ca68b);
  return hex(a ^ (a >>> 15)) + hex(b ^ (b >>> 16));
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
