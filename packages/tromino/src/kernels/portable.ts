/**
 * Arithmetic with the same bits on every device that rounds sums and products to the nearest: line by line what `portable.wgsl` computes, every
 * sum and product rounded to f32.
 */
const f32 = Math.fround;
const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

function bitsOf(x: number): number {
  float[0] = x;
  return bits[0] as number;
}

function floatOf(pattern: number): number {
  bits[0] = pattern;
  return float[0] as number;
}

/** The upper half of a number's digits: a product of two halves is exact. */
function upperDigits(x: number): number {
  return floatOf(bitsOf(x) & 0xfffff000);
}

/**
 * `a / b`, by Newton's iteration and a step with the exact remainder.
 *
 * **Numerics** f32; b from 1e-35 to 1e35. Nearly always the rounded quotient, and that where the quotient is an f32.
 */
export function quotient(a: number, b: number): number {
  let inverse = floatOf(0x7ef311c7 - bitsOf(b));
  for (let i = 0; i < 4; i++) inverse = f32(inverse * f32(2 - f32(b * inverse)));
  const found = f32(a * inverse);
  const [foundUpper, bUpper] = [upperDigits(found), upperDigits(b)];
  const [foundLower, bLower] = [f32(found - foundUpper), f32(b - bUpper)];
  let remainder = f32(a - foundUpper * bUpper);
  remainder = f32(remainder - foundUpper * bLower);
  remainder = f32(remainder - foundLower * bUpper);
  remainder = f32(remainder - foundLower * bLower);
  return f32(found + f32(remainder * inverse));
}

/**
 * `1 / sqrt(x)` by Newton's iteration; 0 where x is infinite.
 *
 * **Numerics** f32; within 2 units of the last place.
 */
export function inverseRoot(x: number): number {
  const half = f32(0.5 * x);
  let root = floatOf(0x5f3759df - (bitsOf(x) >>> 1));
  for (let i = 0; i < 4; i++) root = f32(root * f32(1.5 - f32(f32(half * root) * root)));
  return x === Infinity ? 0 : root;
}

const inverseFactorials = [1.388_888_9e-3, 8.333_333_3e-3, 4.166_666_7e-2, 1.666_666_7e-1, 0.5, 1, 1].map(
  f32,
);
const [perLn2, ln2Rest, lastFactorial] = [1.442_695, -2.121_944_4e-4, 1.984_127e-4].map(f32) as [
  number,
  number,
  number,
];

/**
 * `exp(x)` for x from −200 to 0: 2ⁿ times the Taylor series of what is left, and 0 below 2^-125.
 *
 * **Numerics** f32; within 2 units of the last place.
 */
export function exponential(x: number): number {
  const n = Math.floor(f32(f32(x * perLn2) + 0.5));
  if (n < -125) return 0;
  const left = f32(f32(x - n * 0.693_359_375) - f32(n * ln2Rest));
  let series = lastFactorial;
  for (const coefficient of inverseFactorials) series = f32(coefficient + f32(series * left));
  return f32(series * 2 ** n);
}

/** Sum of terms by 64 lanes, of which lane `(firstLane + i) mod 64` takes term i, in order, then a halving tree 32, 16, … 1; all in f32. */
export function laneSum(length: number, term: (index: number) => number, firstLane = 0): number {
  const lanes = new Float32Array(64);
  for (let i = 0; i < length; i++) {
    const lane = (firstLane + i) % 64;
    lanes[lane] = (lanes[lane] as number) + term(i);
  }
  for (let half = 32; half > 0; half >>= 1) {
    for (let lane = 0; lane < half; lane++)
      lanes[lane] = (lanes[lane] as number) + (lanes[lane + half] as number);
  }
  return lanes[0] as number;
}
