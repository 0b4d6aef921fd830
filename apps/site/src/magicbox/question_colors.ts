/** A question's colour as CSS; the palette is the theme's, in both schemes. @param color place in the palette. */
export function colorOf(color: number): string {
  return `var(--question-${color})`;
}
