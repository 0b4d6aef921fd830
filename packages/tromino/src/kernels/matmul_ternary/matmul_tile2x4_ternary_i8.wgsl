struct Params {
  m: u32,
  n: u32,
  k: u32,
  column_offset: u32,
  num_columns: u32,
  part_end_0: u32,
  part_end_1: u32,
  part_end_2: u32,
  scale_divides: u32,
  has_bias: u32,
  scales_bias: u32,
  has_residual: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4u>;
@group(0) @binding(2) var<storage, read> weight: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read> residual: array<f32>;
@group(0) @binding(6) var<storage, read_write> out: array<f32>;

const TILE_M = 16u;
const TILE_N = 32u;
// Groups of 16 elements that are staged at once.
const TILE_GROUPS = 4u;
// A row of a is five vec4 apart, not four, so that eight neighbouring rows lie in different banks.
const STRIDE = TILE_GROUPS + 1u;

var<workgroup> a_tile: array<vec4u, TILE_M * STRIDE>;
var<workgroup> weight_tile: array<u32, TILE_GROUPS * TILE_N>;

fn zero() -> u32 {
  return params.m >> 31u;
}

// A row of a: (scale's bits, sum of the codes, bits of the scale's inverse, 0), then 16 codes a vec4.
fn row_start(row: u32) -> u32 {
  return min(row, params.m - 1u) * (1u + (params.k + 15u) / 16u);
}

// Fields hold the code plus 1: the four bytes of each component are those of four neighbouring elements.
fn fields(word: u32) -> vec4u {
  return (vec4u(word) >> vec4u(0u, 2u, 4u, 6u)) & vec4u(0x03030303u);
}

fn dot16(left: vec4u, right: vec4u) -> i32 {
  return dot4(left.x, right.x) + dot4(left.y, right.y) + dot4(left.z, right.z) + dot4(left.w, right.w);
}

// `products` is of code plus 1; a's own sum is taken off here.
fn store(row: u32, column: u32, products: i32) {
  if (row >= params.m || column >= params.n) {
    return;
  }
  let header = a[row_start(row)];
  let sum = products - bitcast<i32>(header.y);
  let part = u32(column >= params.part_end_0) + u32(column >= params.part_end_1) + u32(column >= params.part_end_2);
  let part_scale = scales[part];
  let out_column = params.column_offset + column;
  let index = row * params.num_columns + out_column;
  var addend = 0.0;
  if (params.has_residual != 0u) {
    addend = residual[index];
  }
  if (params.has_bias != 0u) {
    addend += rounded(bias[out_column] * select(1.0, part_scale, params.scales_bias != 0u));
  }
  let row_factor = bitcast<f32>(header.z);
  var factor = row_factor * part_scale;
  if (params.scale_divides != 0u) {
    factor = quotient(row_factor, part_scale);
  }
  out[index] = rounded(f32(sum) * factor) + addend;
}

// Rows and columns beyond the last are loaded as the last and never stored; groups beyond K are zeros of a, which add nothing.
fn a_group(row: u32, group: u32, groups: u32) -> vec4u {
  let codes = a[row_start(row) + 1u + min(group, groups - 1u)];
  return select(vec4u(0u), codes, group < groups);
}

fn weight_word(group: u32, column: u32, groups: u32) -> u32 {
  return weight[min(group, groups - 1u) * params.n + min(column, params.n - 1u)];
}

// A workgroup of 64 computes 16 x 32 outputs, each invocation rows y and y + 8 by columns x, x + 8, x + 16 and x + 24. The next step's
// words are loaded while this step's are multiplied.
@compute @workgroup_size(64)
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
  let groups = (params.k + 15u) / 16u;
  let load_row = lane / TILE_GROUPS;
  let load_group = lane % TILE_GROUPS;
  let weight_group = lane / TILE_N;
  let weight_column = lane % TILE_N;
  let y = lane / 8u;
  let x = lane % 8u;

  var upper = vec4i();
  var lower = vec4i();
  var next_a = a_group(first_row + load_row, load_group, groups);
  var next_first = weight_word(weight_group, first_column + weight_column, groups);
  var next_second = weight_word(weight_group + 2u, first_column + weight_column, groups);
  for (var group0 = 0u; group0 < groups; group0 += TILE_GROUPS) {
    a_tile[load_row * STRIDE + load_group] = next_a;
    weight_tile[lane] = next_first;
    weight_tile[lane + 64u] = next_second;
    workgroupBarrier();
    let next = group0 + TILE_GROUPS;
    next_a = a_group(first_row + load_row, next + load_group, groups);
    next_first = weight_word(next + weight_group, first_column + weight_column, groups);
    next_second = weight_word(next + weight_group + 2u, first_column + weight_column, groups);
    for (var group = 0u; group < TILE_GROUPS; group++) {
      let a0 = a_tile[y * STRIDE + group];
      let a1 = a_tile[(y + 8u) * STRIDE + group];
      let at = group * TILE_N + x;
      let w0 = fields(weight_tile[at]);
      let w1 = fields(weight_tile[at + 8u]);
      let w2 = fields(weight_tile[at + 16u]);
      let w3 = fields(weight_tile[at + 24u]);
      upper += vec4i(dot16(a0, w0), dot16(a0, w1), dot16(a0, w2), dot16(a0, w3));
      lower += vec4i(dot16(a1, w0), dot16(a1, w1), dot16(a1, w2), dot16(a1, w3));
    }
    workgroupBarrier();
  }
  for (var column = 0u; column < 4u; column++) {
    store(first_row + y, first_column + x + 8u * column, upper[column]);
    store(first_row + y + 8u, first_column + x + 8u * column, lower[column]);
  }
}
