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
@group(0) @binding(3) var<storage, read> v: array<vec4f>;
// Per token: row start, row end, position, row.
@group(0) @binding(4) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4f>;

fn zero() -> u32 {
  return params.num_tokens >> 31u;
}

// Whether bits are those of portable.wgsl.
override is_portable: bool;

const LANES = 128u;

// Exponentials are summed by 64 lanes for every vector of queries.
const SUM_LANES = 64u;

// Loads that are asked for before the first is used, so that they wait for memory together.
const BATCH = 8u;

// Scores are clamped, so that the difference of two is finite; a masked key has a score below all others.
const SCORE_LIMIT = 1.7e38;
const MASKED = -3.4e38;

// What a score that is no number becomes: above every other, so that the maximum of a row says whether it has one. Told by its bits, since a
// compiler may take it that there is no NaN.
const NO_NUMBER = 3.4e38;

fn is_nan(x: vec4f) -> vec4<bool> {
  return (bitcast<vec4u>(x) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
}

// Depends on a parameter, since WGSL takes no constant that is no number.
fn not_a_number() -> f32 {
  return bitcast<f32>(0x7fc00000u | (params.num_tokens >> 31u));
}

// An exponent of -200 is 0 in f32; nothing below it need be computed.
const LOWEST_EXPONENT = -200.0;

// Vectors of four queries in a tile: 1 or 2.
override query_vectors: u32;

// Keys that `scores` has room for, a multiple of BATCH, and the head size again: arrays need them when the pipeline is made.
override row_capacity: u32;
override head_size: u32;

// One vector of four queries after another for each key: first their scores, then the exponentials of these.
var<workgroup> scores: array<vec4f, row_capacity * query_vectors>;

// The queries as [vector][element]; when they have been used, what the lanes of a reduction found as [vector][lane].
var<workgroup> scratch: array<vec4f, max(head_size, SUM_LANES) * query_vectors>;

fn sees(query: u32, key: u32) -> bool {
  if (params.causal != 0u && key > query) {
    return false;
  }
  if (params.window == 0u) {
    return true;
  }
  let there = tokens[query].z;
  let here = tokens[key].z;
  return max(there, here) - min(there, here) < params.window;
}

// Which of the queries first, first + 1, … (below end) see the key.
fn seen_by(first: u32, end: u32, key: u32) -> vec4<bool> {
  return vec4<bool>(
    first < end && sees(first, key),
    first + 1u < end && sees(first + 1u, key),
    first + 2u < end && sees(first + 2u, key),
    first + 3u < end && sees(first + 3u, key),
  );
}

fn query_element(query: u32, end: u32, head: u32, i: u32) -> f32 {
  if (query >= end) {
    return 0.0;
  }
  return q[query * params.query_stride + params.query_offset + head * params.head_dim + i];
}

fn add_product(sum: vec4f, a: vec4f, b: vec4f) -> vec4f {
  if (is_portable) {
    return sum + rounded4(a * b);
  }
  return fma(a, b, sum);
}

// Adds the products of four elements of a key with those of four queries, which begin at `scratch[element]`.
fn add_products(dots: vec4f, element: u32, key_quad: vec4f) -> vec4f {
  let dots_x = add_product(dots, scratch[element], vec4f(key_quad.x));
  let dots_y = add_product(dots_x, scratch[element + 1u], vec4f(key_quad.y));
  let dots_z = add_product(dots_y, scratch[element + 2u], vec4f(key_quad.z));
  return add_product(dots_z, scratch[element + 3u], vec4f(key_quad.w));
}

// Dot products of one key with the four queries of a vector.
fn dot_products(vector: u32, key_start: u32) -> vec4f {
  let first = vector * head_size;
  let quads = head_size / 4u;
  var dots = vec4f();
  var quad = 0u;
  for (; quad + BATCH <= quads; quad += BATCH) {
    let k0 = k[key_start + quad];
    let k1 = k[key_start + quad + 1u];
    let k2 = k[key_start + quad + 2u];
    let k3 = k[key_start + quad + 3u];
    let k4 = k[key_start + quad + 4u];
    let k5 = k[key_start + quad + 5u];
    let k6 = k[key_start + quad + 6u];
    let k7 = k[key_start + quad + 7u];
    let element = first + quad * 4u;
    dots = add_products(dots, element, k0);
    dots = add_products(dots, element + 4u, k1);
    dots = add_products(dots, element + 8u, k2);
    dots = add_products(dots, element + 12u, k3);
    dots = add_products(dots, element + 16u, k4);
    dots = add_products(dots, element + 20u, k5);
    dots = add_products(dots, element + 24u, k6);
    dots = add_products(dots, element + 28u, k7);
  }
  for (; quad < quads; quad++) {
    dots = add_products(dots, first + quad * 4u, k[key_start + quad]);
  }
  return dots;
}

// Adds the values of key i, weighed. A weight of 0 adds nothing, whatever the values are.
fn add_values(totals: vec4f, i: u32, query: u32, values: vec4f) -> vec4f {
  let weight = scores[i * query_vectors + query / 4u][query % 4u];
  return select(totals, add_product(totals, vec4f(weight), values), weight != 0.0);
}

// Sums four columns of the values of a row's keys, each by its weight for a query of the tile. Weights go on as 0 to a whole batch.
fn weighted_values(query: u32, num_keys: u32, value_start: u32) -> vec4f {
  let stride = params.value_stride / 4u;
  let last = num_keys - 1u;
  var totals = vec4f();
  for (var i = 0u; i < num_keys; i += BATCH) {
    let v0 = v[value_start + i * stride];
    let v1 = v[value_start + min(i + 1u, last) * stride];
    let v2 = v[value_start + min(i + 2u, last) * stride];
    let v3 = v[value_start + min(i + 3u, last) * stride];
    let v4 = v[value_start + min(i + 4u, last) * stride];
    let v5 = v[value_start + min(i + 5u, last) * stride];
    let v6 = v[value_start + min(i + 6u, last) * stride];
    let v7 = v[value_start + min(i + 7u, last) * stride];
    totals = add_values(totals, i, query, v0);
    totals = add_values(totals, i + 1u, query, v1);
    totals = add_values(totals, i + 2u, query, v2);
    totals = add_values(totals, i + 3u, query, v3);
    totals = add_values(totals, i + 4u, query, v4);
    totals = add_values(totals, i + 5u, query, v5);
    totals = add_values(totals, i + 6u, query, v6);
    totals = add_values(totals, i + 7u, query, v7);
  }
  return totals;
}

// Attends queries begin to end - 1, all of one row and no more than a tile has, in three walks over that row's keys.
fn attend(begin: u32, end: u32, head: u32, lane: u32) {
  let key_head = head / (params.num_heads / params.num_key_heads);
  let row_start = tokens[begin].x;
  let num_keys = select(tokens[begin].y, end, params.causal != 0u) - row_start;
  let num_weights = (num_keys + BATCH - 1u) / BATCH * BATCH;

  for (var i = lane; i < head_size * query_vectors; i += LANES) {
    let first = begin + i / head_size * 4u;
    let element = i % head_size;
    scratch[i] = vec4f(
      query_element(first, end, head, element),
      query_element(first + 1u, end, head, element),
      query_element(first + 2u, end, head, element),
      query_element(first + 3u, end, head, element),
    );
  }
  workgroupBarrier();

  // Neighbouring lanes take the same key with different vectors of queries.
  let vector = lane % query_vectors;
  for (var i = lane / query_vectors; i < num_keys; i += LANES / query_vectors) {
    let key = row_start + i;
    let key_start = (key * params.key_stride + params.key_offset + key_head * params.head_dim) / 4u;
    let dots = dot_products(vector, key_start);
    let scaled = params.scale * dots;
    let clamped = clamp(scaled, vec4f(-SCORE_LIMIT), vec4f(SCORE_LIMIT));
    let ordered = select(clamped, vec4f(NO_NUMBER), is_nan(scaled));
    scores[i * query_vectors + vector] = select(vec4f(MASKED), ordered, seen_by(begin + vector * 4u, end, key));
  }
  workgroupBarrier();

  let sums_vector = lane / SUM_LANES;
  let sum_lane = lane % SUM_LANES;
  let is_summing = sums_vector < query_vectors;
  if (is_summing) {
    var largest = vec4f(MASKED);
    for (var i = sum_lane; i < num_keys; i += SUM_LANES) {
      largest = max(largest, scores[i * query_vectors + sums_vector]);
    }
    scratch[lane] = largest;
  }
  for (var half = SUM_LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (is_summing && sum_lane < half) {
      scratch[lane] = max(scratch[lane], scratch[lane + half]);
    }
  }
  workgroupBarrier();
  let largest = scratch[select(0u, lane - sum_lane, is_summing)];
  workgroupBarrier();

  if (is_summing) {
    var sum = vec4f();
    for (var i = sum_lane; i < num_weights; i += SUM_LANES) {
      let score = select(vec4f(MASKED), scores[i * query_vectors + sums_vector], i < num_keys);
      let exponent = max(score - largest, vec4f(LOWEST_EXPONENT));
      var exponential = exp(exponent);
      if (is_portable) {
        exponential = exponential4(exponent);
      }
      let weight = select(vec4f(), exponential, score > vec4f(MASKED));
      scores[i * query_vectors + sums_vector] = weight;
      sum += weight;
    }
    // No sum of exponentials is below zero: it says that a score was no number.
    scratch[lane] = select(sum, vec4f(-1.0), largest > vec4f(SCORE_LIMIT));
  }
  for (var half = SUM_LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (is_summing && sum_lane < half) {
      scratch[lane] += scratch[lane + half];
    }
  }
  workgroupBarrier();

  let quads = head_size / 4u;
  let row_quads = params.num_heads * quads;
  for (var i = lane; i < (end - begin) * quads; i += LANES) {
    let query = i / quads;
    let column = i % quads;
    let head_start = params.value_offset + key_head * params.head_dim;
    let value_start = (row_start * params.value_stride + head_start) / 4u + column;
    let totals = weighted_values(query, num_keys, value_start);
    let sum = scratch[query / 4u * SUM_LANES][query % 4u];
    var mean = totals / sum;
    if (is_portable) {
      mean = totals * quotient(1.0, sum);
    }
    out[(begin + query) * row_quads + head * quads + column] = select(
      select(vec4f(), mean, sum > 0.0),
      vec4f(not_a_number()),
      sum < 0.0,
    );
  }
  workgroupBarrier();
}

// Four or eight consecutive queries of one head per workgroup share every key that they load. Where a row of the batch ends among
// them, its part of them comes first: the keys of two rows never meet. The last tiles come first, since causal queries have the more
// keys the later they are.
@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let tile = query_vectors * 4u;
  let index = workgroup.x + workgroup.y * grid.x;
  let num_tiles = (params.num_tokens + tile - 1u) / tile;
  if (index >= num_tiles * params.num_heads) {
    return;
  }
  let head = index % params.num_heads;
  let tile_start = (num_tiles - 1u - index / params.num_heads) * tile;
  let tile_end = min(tile_start + tile, params.num_tokens);
  for (var begin = tile_start; begin < tile_end;) {
    let end = clamp(tokens[begin].y, begin + 1u, tile_end);
    attend(begin, end, head, lane);
    begin = end;
  }
}
