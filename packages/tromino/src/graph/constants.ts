import type { ConstantRecipe, RopeTableRecipe } from './graph.ts';

/** Makes a constant's data. The device's own sine and cosine are not used: their error differs from adapter to adapter. */
export function materialiseConstant(
  recipe: ConstantRecipe,
): Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  return recipe.kind === 'index_table' ? Uint32Array.from(recipe.indices) : ropeTable(recipe);
}

/**
 * **Shapes** [numPositions, pairs, 2] of (cos, sin).
 * **Numerics** The angle is rounded to f32 as transformers has it (position times frequency, both f32), since at long positions that
 * rounding is larger than any other error here.
 */
function ropeTable({ inverseFrequencies, numPositions }: RopeTableRecipe): Float32Array<ArrayBuffer> {
  const pairs = inverseFrequencies.length;
  const table = new Float32Array(numPositions * pairs * 2);
  for (let position = 0; position < numPositions; position++) {
    inverseFrequencies.forEach((frequency, pair) => {
      const angle = Math.fround(position * Math.fround(frequency));
      const at = (position * pairs + pair) * 2;
      table[at] = Math.cos(angle);
      table[at + 1] = Math.sin(angle);
    });
  }
  return table;
}
