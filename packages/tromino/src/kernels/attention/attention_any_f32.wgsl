struct Params {
  num_tokens: u32,
  num_heads: u32,
  num_key_heads: u32,
  head_dim: u32,
  scale: f32,
  causal: u32,
  window: u32,
  query_stride: u32,
  query_offset: u32,
  key_stride: u32,
  key_offset: u32,
  value_stride: u32,
  value_offset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> k: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
// Per token: row start, row end, position, row.
@group(0) @binding(4) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

fn zero() -> u32 {
  return params.num_tokens >> 31u;
}

// Whether bits are those of portable.wgsl.
override is_portable: bool;

const LANES = 64u;

// Scores are clamped, so that the difference of two is finite; a masked key has a score below all others.
const SCORE_LIMIT = 1.7e38;
const MASKED = -3.4e38;

// What a score that is no number becomes: above every other, so that the maximum of a row says whether it has one. Told by its bits, since a
// compiler may take it that there is no NaN.
const NO_NUMBER = 3.4e38;

fn is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// Depends on a parameter, since WGSL takes no constant that is no number.
fn not_a_number() -> f32 {
  return bitcast<f32>(0x7fc00000u | (params.num_tokens >> 31u));
}

// An exponent of -200 is 0 in f32; nothing below it need be computed.
const LOWEST_EXPONENT = -200.0;

fn sees(query: u32, key: u32) -> bool {
  if (params.causal != 0u && key > query) {
    return false;
  }
  let there = tokens[query].z;
  let here = tokens[key].z;
  let distance = max(there, here) - min(there, here);
  return params.window == 0u || distance < params.window;
}

var<workgroup> partial: array<f32, LANES>;

// Exponentials of the scores of one chunk of keys.
var<workgroup> weights: array<f32, LANES>;

fn add_product(sum: f32, a: f32, b: f32) -> f32 {
  if (is_portable) {
    return sum + rounded(a * b);
  }
  return fma(a, b, sum);
}

fn score(query: u32, query_start: u32, key: u32, key_head: u32) -> f32 {
  if (!sees(query, key)) {
    return MASKED;
  }
  let key_start = key * params.key_stride + params.key_offset + key_head * params.head_dim;
  var dot = 0.0;
  for (var i = 0u; i < params.head_dim; i++) {
    dot = add_product(dot, q[query_start + i], k[key_start + i]);
  }
  let scaled = params.scale * dot;
  return select(clamp(scaled, -SCORE_LIMIT, SCORE_LIMIT), NO_NUMBER, is_nan(scaled));
}

fn exponential(score: f32, largest: f32) -> f32 {
  let exponent = max(score - largest, LOWEST_EXPONENT);
  var weight = exp(exponent);
  if (is_portable) {
    weight = exponential4(vec4f(exponent)).x;
  }
  return select(0.0, weight, score > MASKED);
}

// For any row length and any head size: one head of one query per workgroup. Nothing that grows with the row is kept; scores are
// computed once for the maximum, once for the sum, and once for every 64 elements of the output.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = workgroup.x + workgroup.y * grid.x;
  if (index >= params.num_tokens * params.num_heads) {
    return;
  }
  let query = index / params.num_heads;
  let head = index % params.num_heads;
  let key_head = head / (params.num_heads / params.num_key_heads);
  let query_start = query * params.query_stride + params.query_offset + head * params.head_dim;
  let row_start = tokens[query].x;
  let keys_end = select(tokens[query].y, query + 1u, params.causal != 0u);

  var largest = MASKED;
  for (var key = row_start + lane; key < keys_end; key += LANES) {
    largest = max(largest, score(query, query_start, key, key_head));
  }
  partial[lane] = largest;
  for (var half = 32u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] = max(partial[lane], partial[lane + half]);
    }
  }
  workgroupBarrier();
  largest = partial[0];
  workgroupBarrier();

  var sum = 0.0;
  for (var key = row_start + lane; key < keys_end; key += LANES) {
    sum += exponential(score(query, query_start, key, key_head), largest);
  }
  partial[lane] = sum;
  for (var half = 32u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
  }
  workgroupBarrier();
  sum = partial[0];

  for (var first = 0u; first < params.head_dim; first += LANES) {
    let column = first + lane;
    var total = 0.0;
    for (var chunk = row_start; chunk < keys_end; chunk += LANES) {
      let num_keys = min(LANES, keys_end - chunk);
      if (lane < num_keys) {
        weights[lane] = exponential(score(query, query_start, chunk + lane, key_head), largest);
      }
      workgroupBarrier();
      if (column < params.head_dim) {
        var value = chunk * params.value_stride + params.value_offset + key_head * params.head_dim + column;
        for (var i = 0u; i < num_keys; i++) {
          if (weights[i] != 0.0) {
            total = add_product(total, weights[i], v[value]);
          }
          value += params.value_stride;
        }
      }
      workgroupBarrier();
    }
    if (column < params.head_dim) {
      var mean = total / sum;
      if (is_portable) {
        mean = total * quotient(1.0, sum);
      }
      let seen = select(0.0, mean, sum > 0.0);
      out[index * params.head_dim + column] = select(seen, not_a_number(), largest > SCORE_LIMIT);
    }
  }
}
