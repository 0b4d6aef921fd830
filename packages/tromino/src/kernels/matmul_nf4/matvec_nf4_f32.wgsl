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

const COLUMNS = 32u;

// The values of the 16 codes.
var<workgroup> values: array<f32, 16>;

// The scale of element k of a column's weights. All eight elements of a word have the same where K is a multiple of 8, as blocks are.
fn scale_of(column: u32, k: u32) -> f32 {
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

fn a_quad(row: u32, quad: u32, quads: u32) -> vec4f {
  return a[min(row, params.m - 1u) * quads + quad];
}

// Adds the products of four k to the sums of the (up to four) rows, k ascending.
fn multiply(sums: vec4f, quad: u32, quads: u32, w: vec4f) -> vec4f {
  let a0 = a_quad(0u, quad, quads);
  let a1 = a_quad(1u, quad, quads);
  let a2 = a_quad(2u, quad, quads);
  let a3 = a_quad(3u, quad, quads);
  let sums_x = fma(vec4f(a0.x, a1.x, a2.x, a3.x), vec4f(w.x), sums);
  let sums_y = fma(vec4f(a0.y, a1.y, a2.y, a3.y), vec4f(w.y), sums_x);
  let sums_z = fma(vec4f(a0.z, a1.z, a2.z, a3.z), vec4f(w.z), sums_y);
  return fma(vec4f(a0.w, a1.w, a2.w, a3.w), vec4f(w.w), sums_z);
}

// As above for the eight k of a word.
fn multiply_word(sums: vec4f, word: u32, quads: u32, bits: u32, scale: f32) -> vec4f {
  let lower = multiply(sums, word * 2u, quads, weight_quad(bits, scale));
  return multiply(lower, word * 2u + 1u, quads, weight_quad(bits >> 16u, scale));
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

// Up to four rows, one column per invocation. K is a multiple of 8. Four words of a column are asked for before the first is used;
// neighbouring invocations load neighbouring words.
@compute @workgroup_size(32)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  if (lane < 16u) {
    values[lane] = quant_map[lane];
  }
  workgroupBarrier();
  let column = (workgroup.x + workgroup.y * grid.x) * COLUMNS + lane;
  if (column >= params.n) {
    return;
  }
  let quads = params.k / 4u;
  let words = params.k / 8u;
  var sums = vec4f();
  var word = 0u;
  for (; word + 4u <= words; word += 4u) {
    let start = word * params.n + column;
    let bits0 = codes[start];
    let bits1 = codes[start + params.n];
    let bits2 = codes[start + 2u * params.n];
    let bits3 = codes[start + 3u * params.n];
    sums = multiply_word(sums, word, quads, bits0, scale_of(column, word * 8u));
    sums = multiply_word(sums, word + 1u, quads, bits1, scale_of(column, word * 8u + 8u));
    sums = multiply_word(sums, word + 2u, quads, bits2, scale_of(column, word * 8u + 16u));
    sums = multiply_word(sums, word + 3u, quads, bits3, scale_of(column, word * 8u + 24u));
  }
  for (; word < words; word++) {
    sums = multiply_word(sums, word, quads, codes[word * params.n + column], scale_of(column, word * 8u));
  }
  store(0u, column, sums.x);
  store(1u, column, sums.y);
  store(2u, column, sums.z);
  store(3u, column, sums.w);
}
