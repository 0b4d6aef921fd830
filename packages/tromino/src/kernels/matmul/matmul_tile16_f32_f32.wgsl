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

const TILE = 16u;

// Both are staged as [row][k], 2 KiB together. One more column than is used keeps a warp's reads in different banks.
const STRIDE = TILE + 1u;
var<workgroup> a_tile: array<f32, TILE * STRIDE>;
var<workgroup> weight_tile: array<f32, TILE * STRIDE>;

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

// The baseline: a workgroup computes 16 x 16 outputs, each invocation one of them.
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
  let first_row = index / tiles_n * TILE;
  let first_column = index % tiles_n * TILE;
  let slot = local.y * STRIDE + local.x;

  var sum = 0.0;
  for (var k0 = 0u; k0 < params.k; k0 += TILE) {
    let k = k0 + local.x;
    let a_row = first_row + local.y;
    let weight_row = first_column + local.y;
    a_tile[slot] = 0.0;
    weight_tile[slot] = 0.0;
    if (k < params.k && a_row < params.m) {
      a_tile[slot] = a[a_row * params.k + k];
    }
    if (k < params.k && weight_row < params.n) {
      weight_tile[slot] = weight[weight_row * params.k + k];
    }
    workgroupBarrier();
    // Not beyond K: adding 0 * 0 would turn a sum of -0 into +0.
    let steps = min(TILE, params.k - k0);
    for (var i = 0u; i < steps; i++) {
      sum = fma(a_tile[local.y * STRIDE + i], weight_tile[local.x * STRIDE + i], sum);
    }
    workgroupBarrier();
  }
  store(first_row + local.y, first_column + local.x, sum);
}
