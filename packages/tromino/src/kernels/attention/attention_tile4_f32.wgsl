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
@group(0) @binding(2) var<storage, read> k: array<vec4f>;
@group(0) @binding(3) var<storage, read> v: array<f32>;
// Per token: row start, row end, position, row.
@group(0) @binding(4) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

const LANES = 64u;

// Scores are clamped, so that the difference of two is finite; a masked key has a score below all others.
const SCORE_LIMIT = 1.7e38;
const MASKED = -3.4e38;

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

// Tokens that `scores` has room for, and the head size again, since arrays need them when the pipeline is made.
override row_capacity: u32;
override head_capacity: u32;

// Component c of each vector belongs to query c of the tile.
var<workgroup> queries: array<vec4f, head_capacity>;
var<workgroup> scores: array<vec4f, row_capacity>;
var<workgroup> partial: array<vec4f, LANES>;

fn query_element(query: u32, end: u32, head: u32, i: u32) -> f32 {
  if (query >= end) {
    return 0.0;
  }
  return q[query * params.query_stride + params.query_offset + head * params.head_dim + i];
}

// Which of the queries begin, begin + 1, … (below end) see the key.
fn seen_by(begin: u32, end: u32, key: u32) -> vec4<bool> {
  return vec4<bool>(
    sees(begin, key),
    begin + 1u < end && sees(begin + 1u, key),
    begin + 2u < end && sees(begin + 2u, key),
    begin + 3u < end && sees(begin + 3u, key),
  );
}

// Attends queries begin to end - 1, at most four and all of one row, in three walks over that row's keys.
fn attend(begin: u32, end: u32, head: u32, lane: u32) {
  let key_head = head / (params.num_heads / params.num_key_heads);
  let row_start = tokens[begin].x;
  let num_keys = select(tokens[begin].y, end, params.causal != 0u) - row_start;

  for (var i = lane; i < params.head_dim; i += LANES) {
    queries[i] = vec4f(
      query_element(begin, end, head, i),
      query_element(begin + 1u, end, head, i),
      query_element(begin + 2u, end, head, i),
      query_element(begin + 3u, end, head, i),
    );
  }
  workgroupBarrier();

  var largest = vec4f(MASKED);
  for (var i = lane; i < num_keys; i += LANES) {
    let key = row_start + i;
    let key_start = (key * params.key_stride + params.key_offset + key_head * params.head_dim) / 4u;
    var dots = vec4f();
    for (var quad = 0u; quad < params.head_dim / 4u; quad++) {
      let key_quad = k[key_start + quad];
      dots = fma(queries[quad * 4u], vec4f(key_quad.x), dots);
      dots = fma(queries[quad * 4u + 1u], vec4f(key_quad.y), dots);
      dots = fma(queries[quad * 4u + 2u], vec4f(key_quad.z), dots);
      dots = fma(queries[quad * 4u + 3u], vec4f(key_quad.w), dots);
    }
    let clamped = clamp(params.scale * dots, vec4f(-SCORE_LIMIT), vec4f(SCORE_LIMIT));
    let score = select(vec4f(MASKED), clamped, seen_by(begin, end, key));
    scores[i] = score;
    largest = max(largest, score);
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

  var sum = vec4f();
  for (var i = lane; i < num_keys; i += LANES) {
    let score = scores[i];
    let exponential = exp(max(score - largest, vec4f(LOWEST_EXPONENT)));
    let weight = select(vec4f(), exponential, score > vec4f(MASKED));
    scores[i] = weight;
    sum += weight;
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

  for (var column = lane; column < params.head_dim; column += LANES) {
    var value = row_start * params.value_stride + params.value_offset + key_head * params.head_dim + column;
    var total = vec4f();
    for (var i = 0u; i < num_keys; i++) {
      let weight = scores[i];
      total = select(total, fma(weight, vec4f(v[value]), total), weight != vec4f());
      value += params.value_stride;
    }
    let result = select(vec4f(), total / sum, sum > vec4f());
    let row_length = params.num_heads * params.head_dim;
    let first = begin * row_length + head * params.head_dim + column;
    out[first] = result.x;
    if (begin + 1u < end) {
      out[first + row_length] = result.y;
    }
    if (begin + 2u < end) {
      out[first + 2u * row_length] = result.z;
    }
    if (begin + 3u < end) {
      out[first + 3u * row_length] = result.w;
    }
  }
  workgroupBarrier();
}

// Four consecutive queries of one head per workgroup share every key and value that they load. Where a row of the batch ends among
// the four, its part of them comes first: the keys of two rows never meet.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = workgroup.x + workgroup.y * grid.x;
  let num_tiles = (params.num_tokens + 3u) / 4u;
  if (index >= num_tiles * params.num_heads) {
    return;
  }
  let head = index % params.num_heads;
  let tile_start = index / params.num_heads * 4u;
  let tile_end = min(tile_start + 4u, params.num_tokens);
  for (var begin = tile_start; begin < tile_end;) {
    let end = clamp(tokens[begin].y, begin + 1u, tile_end);
    attend(begin, end, head, lane);
    begin = end;
  }
}
