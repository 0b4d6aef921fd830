struct Params {
  m: u32,
  n: u32,
  k: u32,
  column_offset: u32,
  num_columns: u32,
  has_bias: u32,
  has_residual: u32,
  block_shift: u32,
  scales_by_row: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<f32>;
@group(0) @binding(4) var<storage, read> quant_map: array<f32>;
@group(0) @binding(5) var<storage, read> bias: array<f32>;
@group(0) @binding(6) var<storage, read> residual: array<f32>;
@group(0) @binding(7) var<storage, read_write> out: array<f32>;

const TILE_M = 32u;
const TILE_N = 64u;
const TILE_QUADS = 4u;

// Whether K is no whole number of steps. An override, so that the inner loop has no check where it needs none.
override k_tail: bool;

// Both are staged as [row][k / 4]. A row is five quads apart, not four, so that eight neighbouring rows lie in different banks.
const STRIDE = TILE_QUADS + 1u;
var<workgroup> a_tile: array<vec4f, TILE_M * STRIDE>;
var<workgroup> weight_tile: array<vec4f, TILE_N * STRIDE>;

// The values of the 16 codes.
var<workgroup> values: array<f32, 16>;

// Rows beyond the last are loaded as the last and never stored; what is loaded beyond K is never multiplied.
fn a_quad(row: u32, quad: u32, quads: u32) -> vec4f {
  return a[min(row, params.m - 1u) * quads + min(quad, quads - 1u)];
}

fn word_of(column: u32, word: u32, words: u32) -> u32 {
  return codes[min(word, words - 1u) * params.n + min(column, params.n - 1u)];
}

// K is a multiple of 8 and blocks are too, so the eight weights of a word have one scale.
fn scale_of(tile_column: u32, word: u32, words: u32) -> f32 {
  let column = min(tile_column, params.n - 1u);
  let k = min(word, words - 1u) * 8u;
  if (params.scales_by_row != 0u) {
    return scales[(k >> params.block_shift) * params.n + column];
  }
  return scales[(column * params.k + k) >> params.block_shift];
}

// Four weights from the lower half of a word.
fn weight_quad(word: u32, scale: f32) -> vec4f {
  let low = vec4u(word, word >> 4u, word >> 8u, word >> 12u) & vec4u(15u);
  return vec4f(values[low.x], values[low.y], values[low.z], values[low.w]) * scale;
}

fn store(row: u32, column: u32, sum: f32) {
  if (row >= params.m || column >= params.n) {
    return;
  }
  let out_column = params.column_offset + column;
  let index = row * params.num_columns + out_column;
  var value = sum;
  if (params.has_bias != 0u) {
    value = value + bias[out_column];
  }
  if (params.has_residual != 0u) {
    value = residual[index] + value;
  }
  out[index] = value;
}

fn store_columns(row: u32, column: u32, sums: vec4f) {
  store(row, column, sums.x);
  store(row, column + 16u, sums.y);
  store(row, column + 32u, sums.z);
  store(row, column + 48u, sums.w);
}

// A workgroup of 128 computes 32 x 64 outputs, each invocation rows y, y + 8, y + 16, y + 24 by columns x, x + 16, x + 32, x + 48. K is
// a multiple of 8. A step takes 16 elements of K, two words of each column: one for each invocation, which computes their weights while
// staging them. The next step's are loaded while this step's are multiplied.
@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let tiles_m = (params.m + TILE_M - 1u) / TILE_M;
  let tiles_n = (params.n + TILE_N - 1u) / TILE_N;
  let index = workgroup.x + workgroup.y * grid.x;
  if (index >= tiles_m * tiles_n) {
    return;
  }
  let first_row = index / tiles_n * TILE_M;
  let first_column = index % tiles_n * TILE_N;
  let quads = params.k / 4u;
  let words = params.k / 8u;
  let a_row = lane / TILE_QUADS;
  let a_slot = a_row * STRIDE + lane % TILE_QUADS;
  let column = first_column + lane % TILE_N;
  let weight_slot = lane % TILE_N * STRIDE + lane / TILE_N * 2u;
  let y = lane / 16u;
  let x = lane % 16u;
  if (lane < 16u) {
    values[lane] = quant_map[lane];
  }
  workgroupBarrier();

  var sums0 = vec4f();
  var sums1 = vec4f();
  var sums2 = vec4f();
  var sums3 = vec4f();
  var next_a = a_quad(first_row + a_row, lane % TILE_QUADS, quads);
  var next_word = word_of(column, lane / TILE_N, words);
  var next_scale = scale_of(column, lane / TILE_N, words);
  for (var quad0 = 0u; quad0 < quads; quad0 += TILE_QUADS) {
    a_tile[a_slot] = next_a;
    weight_tile[weight_slot] = weight_quad(next_word, next_scale);
    weight_tile[weight_slot + 1u] = weight_quad(next_word >> 16u, next_scale);
    workgroupBarrier();
    let next_quad = quad0 + TILE_QUADS;
    next_a = a_quad(first_row + a_row, next_quad + lane % TILE_QUADS, quads);
    next_word = word_of(column, next_quad / 2u + lane / TILE_N, words);
    next_scale = scale_of(column, next_quad / 2u + lane / TILE_N, words);
    let a_base = y * STRIDE;
    let weight_base = x * STRIDE;
    for (var quad = 0u; quad < TILE_QUADS; quad++) {
      // Not beyond K, with zeros instead: they would turn a sum of -0 into +0, and a compiler may take a -0 for a +0.
      if (k_tail && quad0 + quad >= quads) {
        break;
      }
      let a0 = a_tile[a_base + quad];
      let a1 = a_tile[a_base + 8u * STRIDE + quad];
      let a2 = a_tile[a_base + 16u * STRIDE + quad];
      let a3 = a_tile[a_base + 24u * STRIDE + quad];
      let w0 = weight_tile[weight_base + quad];
      let w1 = weight_tile[weight_base + 16u * STRIDE + quad];
      let w2 = weight_tile[weight_base + 32u * STRIDE + quad];
      let w3 = weight_tile[weight_base + 48u * STRIDE + quad];
      let w_x = vec4f(w0.x, w1.x, w2.x, w3.x);
      sums0 = fma(vec4f(a0.x), w_x, sums0);
      sums1 = fma(vec4f(a1.x), w_x, sums1);
      sums2 = fma(vec4f(a2.x), w_x, sums2);
      sums3 = fma(vec4f(a3.x), w_x, sums3);
      let w_y = vec4f(w0.y, w1.y, w2.y, w3.y);
      sums0 = fma(vec4f(a0.y), w_y, sums0);
      sums1 = fma(vec4f(a1.y), w_y, sums1);
      sums2 = fma(vec4f(a2.y), w_y, sums2);
      sums3 = fma(vec4f(a3.y), w_y, sums3);
      let w_z = vec4f(w0.z, w1.z, w2.z, w3.z);
      sums0 = fma(vec4f(a0.z), w_z, sums0);
      sums1 = fma(vec4f(a1.z), w_z, sums1);
      sums2 = fma(vec4f(a2.z), w_z, sums2);
      sums3 = fma(vec4f(a3.z), w_z, sums3);
      let w_w = vec4f(w0.w, w1.w, w2.w, w3.w);
      sums0 = fma(vec4f(a0.w), w_w, sums0);
      sums1 = fma(vec4f(a1.w), w_w, sums1);
      sums2 = fma(vec4f(a2.w), w_w, sums2);
      sums3 = fma(vec4f(a3.w), w_w, sums3);
    }
    workgroupBarrier();
  }
  store_columns(first_row + y, first_column + x, sums0);
  store_columns(first_row + y + 8u, first_column + x, sums1);
  store_columns(first_row + y + 16u, first_column + x, sums2);
  store_columns(first_row + y + 24u, first_column + x, sums3);
}
