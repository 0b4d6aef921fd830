struct Params {
  num_tokens: u32,
  num_heads: u32,
  head_dim: u32,
  scale: f32,
  query_stride: u32,
  query_offset: u32,
  key_stride: u32,
  key_offset: u32,
  value_stride: u32,
  value_offset: u32,
  num_positions: u32,
  has_bias: u32,
  has_bucket_keys: u32,
  has_bucket_queries: u32,
  bucket_stride: u32,
  bucket_key_offset: u32,
  bucket_query_offset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> k: array<f32>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
// Per token: row start, row end, position, row.
@group(0) @binding(4) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(5) var<storage, read> buckets: array<u32>;
@group(0) @binding(6) var<storage, read> bias: array<f32>;
@group(0) @binding(7) var<storage, read> bucket_states: array<f32>;
@group(0) @binding(8) var<storage, read_write> out: array<f32>;

const LANES = 64u;

// Scores are clamped, so that the difference of two is finite.
const SCORE_LIMIT = 1.7e38;

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

var<workgroup> partial: array<f32, LANES>;

// Every variant scores by this very function, so that all of them give the same bits.
fn score(query: u32, key: u32, head: u32) -> f32 {
  let query_start = query * params.query_stride + params.query_offset + head * params.head_dim;
  let key_start = key * params.key_stride + params.key_offset + head * params.head_dim;
  let bucket = buckets[tokens[query].z + params.num_positions - 1u - tokens[key].z];
  let state_start = bucket * params.bucket_stride + head * params.head_dim;
  var sum = 0.0;
  for (var i = 0u; i < params.head_dim; i++) {
    sum = fma(q[query_start + i], k[key_start + i], sum);
  }
  if (params.has_bucket_keys != 0u) {
    var dot = 0.0;
    for (var i = 0u; i < params.head_dim; i++) {
      dot = fma(q[query_start + i], bucket_states[state_start + params.bucket_key_offset + i], dot);
    }
    sum += dot;
  }
  if (params.has_bucket_queries != 0u) {
    var dot = 0.0;
    for (var i = 0u; i < params.head_dim; i++) {
      dot = fma(k[key_start + i], bucket_states[state_start + params.bucket_query_offset + i], dot);
    }
    sum += dot;
  }
  var offset = 0.0;
  if (params.has_bias != 0u) {
    offset = bias[bucket * params.num_heads + head];
  }
  let scaled = fma(params.scale, sum, offset);
  return select(clamp(scaled, -SCORE_LIMIT, SCORE_LIMIT), NO_NUMBER, is_nan(scaled));
}

fn exponential(score: f32, largest: f32) -> f32 {
  return exp(max(score - largest, LOWEST_EXPONENT));
}

// The weighted mean of values; no number where a score is none, zero where there is nothing to see.
fn mean_of(total: f32, sum: f32, largest: f32) -> f32 {
  return select(select(0.0, total / sum, sum > 0.0), not_a_number(), largest > SCORE_LIMIT);
}

// The largest of what the lanes bring, and the sum of it, by halving trees; the same for all of them.
fn max_of_lanes(lane: u32, value: f32) -> f32 {
  partial[lane] = value;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] = max(partial[lane], partial[lane + half]);
    }
  }
  workgroupBarrier();
  let largest = partial[0];
  workgroupBarrier();
  return largest;
}

fn sum_of_lanes(lane: u32, value: f32) -> f32 {
  partial[lane] = value;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
  }
  workgroupBarrier();
  let sum = partial[0];
  workgroupBarrier();
  return sum;
}

