// The activation functions. TypeScript puts this file in front of every kernel that applies one.

// Index into `activations` of activations.ts.
override activation: u32;

const SILU = 0u;
const GELU = 1u;
const GELU_TANH = 2u;
const RELU = 3u;
const RELU_SQUARED = 4u;

// 1 / (1 + exp(-x)), from an exponential that cannot overflow.
fn sigmoid(x: f32) -> f32 {
  let e = exp(-abs(x));
  return select(e, 1.0, x >= 0.0) / (1.0 + e);
}

// The chance that a standard normal variable lies above x, for x >= 0: exp(-x² / 2) times a polynomial in t = 1 / (1 + 0.3 x). The
// coefficients were fitted to the least relative error on [0, 14], which is 5.8e-8. Beyond, exp(-x² / 2) is 0.
fn normal_tail(x: f32) -> f32 {
  let t = 1.0 / fma(0.3, x, 1.0);
  var p = 0.038378283;
  p = fma(p, t, -0.16916609);
  p = fma(p, t, 0.22866003);
  p = fma(p, t, -0.07650643);
  p = fma(p, t, 0.1425355);
  p = fma(p, t, 0.094683535);
  p = fma(p, t, 0.12192034);
  p = fma(p, t, 0.11948769);
  p = fma(p, t, 7.1688596e-06);
  return exp(-0.5 * x * x) * p;
}

fn gelu(x: f32) -> f32 {
  let tail = normal_tail(min(abs(x), 20.0));
  return x * select(tail, 1.0 - tail, x >= 0.0);
}

// 0.5 x (1 + tanh(y)) = x sigmoid(2 y). Outside ±12 the sigmoid is 0 or 1, and the cube need not be taken.
fn gelu_tanh(x: f32) -> f32 {
  let near = clamp(x, -12.0, 12.0);
  return x * sigmoid(1.5957691216 * fma(0.044715 * near * near, near, near));
}

// From the exponential where it is far from 1, else from the Taylor series, which keeps the digits of small x.
fn hyperbolic_tangent(x: f32) -> f32 {
  let e = exp(-2.0 * abs(x));
  let far = sign(x) * (1.0 - e) / (1.0 + e);
  let near = clamp(x, -0.5, 0.5);
  let square = near * near;
  var p = 0.003592128;
  p = fma(p, square, -0.008863236);
  p = fma(p, square, 0.021869488);
  p = fma(p, square, -0.053968254);
  p = fma(p, square, 0.13333334);
  p = fma(p, square, -0.33333334);
  return select(far, fma(near * square, p, near), abs(x) < 0.5);
}

fn activate(x: f32) -> f32 {
  switch activation {
    case SILU: { return x * sigmoid(x); }
    case GELU: { return gelu(x); }
    case GELU_TANH: { return gelu_tanh(x); }
    case RELU: { return max(x, 0.0); }
    case RELU_SQUARED: { return max(x, 0.0) * max(x, 0.0); }
    default: { return hyperbolic_tangent(x); }
  }
}

