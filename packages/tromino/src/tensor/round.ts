/** 1.5 · 2^52: an f64 of this size has no fraction bits left, so adding it rounds. */
const noFraction = 6_755_399_441_055_744;

/** The nearest whole number, ties to even, as torch and WGSL round. For magnitudes below 2^51. */
export function roundHalfEven(value: number): number {
  return value + noFraction - noFraction;
}
