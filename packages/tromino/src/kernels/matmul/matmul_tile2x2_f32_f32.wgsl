struct Params {
  m: u32,
  n: u32,
  k: u32,
  column_offset: u32,
  num_columns: u32,
  has_bias: u32,
  has_residual: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> residual: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

const TILE = 32u;
const TILE_K = 16u;

// Both are staged as [row][k], 4 KiB together. One more column than is used keeps a warp's reads in different banks.
const STRIDE = TILE_K + 1u;
var<workgroup> a_tile: array<f32, TILE * STRIDE>;
var<workgroup> weight_tile: array<f32, TILE * STRIDE>;

fn a_at(row: u32, k: u32) -> f32 {
  if (row >= params.m || k >= params.k) {
    return 0.0;
  }
  return a[row * params.k + k];
}

fn weight_at(row: u32, k: u32) -> f32 {
  if (row >= params.n || k >= params.k) {
    return 0.0;
  }
  return weight[row * params.k + k];
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

// A workgroup of 256 computes 32 x 32 outputs, each invocation a 2 x 2 square: rows y and y + 16, columns x and x + 16. Two
// activations and two weights read per step feed four accumulators.
@compute @workgroup_size(16, 16)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let tiles_m = (params.m + TILE - 1u) / TILE;
  let tiles_n = (params.n + TILE - 1u) / TILE;
  let index = workgroup.x + workgroup.y * grid.x;
  if (index >= tiles_m * tiles_n) {
    return;
  }
  let row = index / tiles_n * TILE + local.y;
  let first_column = index % tiles_n * TILE;
  let upper = local.y * STRIDE;
  let lower = (local.y + 16u) * STRIDE;
  let left = local.x * STRIDE;
  let right = (local.x + 16u) * STRIDE;

  var upper_left = 0.0;
  var upper_right = 0.0;
  var lower_left = 0.0;
  var lower_right = 0.0;
  for (var k0 = 0u; k0 < params.k; k0 += TILE_K) {
    let k = k0 + local.x;
    a_tile[upper + local.x] = a_at(row, k);
    a_tile[lower + local.x] = a_at(row + 16u, k);
    weight_tile[upper + local.x] = weight_at(first_column + local.y, k);
    weight_tile[lower + local.x] = weight_at(first_column + local.y + 16u, k);
    workgroupBarrier();
    // Not beyond K: adding 0 * 0 would turn a sum of -0 into +0.
    let steps = min(TILE_K, params.k - k0);
    for (var i = 0u; i < steps; i++) {
      let a_upper = a_tile[upper + i];
      let a_lower = a_tile[lower + i];
      let weight_left = weight_tile[left + i];
      let weight_right = weight_tile[right + i];
      upper_left = fma(a_upper, weight_left, upper_left);
      upper_right = fma(a_upper, weight_right, upper_right);
      lower_left = fma(a_lower, weight_left, lower_left);
      lower_right = fma(a_lower, weight_right, lower_right);
    }
    workgroupBarrier();
  }
  let column = first_column + local.x;
  store(row, column, upper_left);
  store(row, column + 16u, upper_right);
  store(row + 16u, column, lower_left);
  store(row + 16u, column + 16u, lower_right);
}
