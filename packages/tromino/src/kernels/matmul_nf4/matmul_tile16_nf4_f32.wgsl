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
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<f32>;
@group(0) @binding(4) var<storage, read> quant_map: array<f32>;
@group(0) @binding(5) var<storage, read> bias: array<f32>;
@group(0) @binding(6) var<storage, read> residual: array<f32>;
@group(0) @binding(7) var<storage, read_write> out: array<f32>;

const TILE = 16u;

// Both are staged as [row][k], 2 KiB together. One more column than is used keeps a warp's reads in different banks.
const STRIDE = TILE + 1u;
var<workgroup> a_tile: array<f32, TILE * STRIDE>;
var<workgroup> weight_tile: array<f32, TILE * STRIDE>;

// The scale of element k of a column's weights.
fn scale_of(column: u32, k: u32) -> f32 {
  if (params.scales_by_row != 0u) {
    return scales[(k >> params.block_shift) * params.n + column];
  }
  return scales[(column * params.k + k) >> params.block_shift];
}

fn weight_of(column: u32, k: u32) -> f32 {
  let bits = codes[k / 8u * params.n + column] >> (k % 8u * 4u);
  return quant_map[bits & 15u] * scale_of(column, k);
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

// The baseline: a workgroup computes 16 x 16 outputs, each invocation one of them. Any K.
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

  var sum = 0.0;
  for (var k0 = 0u; k0 < params.k; k0 += TILE) {
    let a_row = first_row + local.y;
    let a_k = k0 + local.x;
    let a_slot = local.y * STRIDE + local.x;
    a_tile[a_slot] = 0.0;
    if (a_k < params.k && a_row < params.m) {
      a_tile[a_slot] = a[a_row * params.k + a_k];
    }
    // The other way round, so that neighbouring invocations load neighbouring columns.
    let column = first_column + local.x;
    let weight_k = k0 + local.y;
    let weight_slot = local.x * STRIDE + local.y;
    weight_tile[weight_slot] = 0.0;
    if (weight_k < params.k && column < params.n) {
      weight_tile[weight_slot] = weight_of(column, weight_k);
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
