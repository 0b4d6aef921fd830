// Arithmetic with the same bits on every device that rounds sums and products to the nearest, and in portable.ts. A device may fuse a product with the
// sum it goes into or not, and its quotients, roots and exponentials are its own. Kernels that take this in front say what `zero()` is: 0, but by
// a parameter that a compiler does not know.

// A product that is not fused with what it goes into.
fn rounded(product: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(product) ^ zero());
}

fn rounded4(product: vec4f) -> vec4f {
  return bitcast<vec4f>(bitcast<vec4u>(product) ^ vec4u(zero()));
}

// The upper half of a number's digits: a product of two halves is exact.
fn upper_digits(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// a / b for b from 1e-35 to 1e35: Newton's iteration for 1 / b, and a step with the exact remainder.
fn quotient(a: f32, b: f32) -> f32 {
  var inverse = bitcast<f32>(0x7ef311c7u - bitcast<u32>(b));
  for (var i = 0; i < 4; i++) {
    inverse *= 2.0 - rounded(b * inverse);
  }
  let found = rounded(a * inverse);
  let found_upper = upper_digits(found);
  let found_lower = found - found_upper;
  let b_upper = upper_digits(b);
  let b_lower = b - b_upper;
  let remainder = a - found_upper * b_upper - found_upper * b_lower - found_lower * b_upper - found_lower * b_lower;
  return found + rounded(remainder * inverse);
}

// 1 / sqrt(x) by Newton's iteration; 0 where x is infinite.
fn inverse_root(x: f32) -> f32 {
  let half = 0.5 * x;
  var root = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(x) >> 1u));
  for (var i = 0; i < 4; i++) {
    root *= 1.5 - rounded(rounded(half * root) * root);
  }
  return select(root, 0.0, x > 3.4e38);
}

// exp(x) for x from -200 to 0: 2^n times the Taylor series of what is left, and 0 below 2^-125. Multiples of 355 / 512, nearly ln 2, are exact.
fn exponential4(x: vec4f) -> vec4f {
  let n = floor(rounded4(x * 1.442695) + 0.5);
  let left = x - n * 0.693359375 - rounded4(n * -2.1219444e-4);
  var series = vec4f(1.9841270e-4);
  series = 1.3888889e-3 + rounded4(series * left);
  series = 8.3333333e-3 + rounded4(series * left);
  series = 4.1666667e-2 + rounded4(series * left);
  series = 1.6666667e-1 + rounded4(series * left);
  series = 0.5 + rounded4(series * left);
  series = 1.0 + rounded4(series * left);
  series = 1.0 + rounded4(series * left);
  let power = bitcast<vec4f>(vec4u(vec4i(max(n, vec4f(-125.0))) + 127) << vec4u(23u));
  return select(series * power, vec4f(), n < vec4f(-125.0));
}

