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

const COLUMNS = 16u;
const CHUNK = 64u;
const LANES = 128u;

// Weights are staged as [column][k]: the loads run along K, where neighbours are, and each invocation then reads its own column.
// One more element than is used keeps neighbouring columns in different banks.
const STRIDE = CHUNK + 1u;
var<workgroup> weight_tile: array<f32, COLUMNS * STRIDE>;

// The (up to four) activation rows side by side.
var<workgroup> a_tile: array<vec4f, CHUNK>;

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

// Up to four rows: a workgroup computes 16 columns, one invocation each, and all 128 invocations load.
@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let first_column = (workgroup.x + workgroup.y * grid.x) * COLUMNS;
  if (first_column >= params.n) {
    return;
  }

  var sums = vec4f();
  for (var k0 = 0u; k0 < params.k; k0 += CHUNK) {
    for (var i = lane; i < COLUMNS * CHUNK; i += LANES) {
      weight_tile[i / CHUNK * STRIDE + i % CHUNK] = weight_at(first_column + i / CHUNK, k0 + i % CHUNK);
    }
    if (lane < CHUNK) {
      let k = k0 + lane;
      a_tile[lane] = vec4f(a_at(0u, k), a_at(1u, k), a_at(2u, k), a_at(3u, k));
    }
    workgroupBarrier();
    if (lane < COLUMNS) {
      // Not beyond K: adding 0 * 0 would turn a sum of -0 into +0.
      let steps = min(CHUNK, params.k - k0);
      for (var i = 0u; i < steps; i++) {
        sums = fma(a_tile[i], vec4f(weight_tile[lane * STRIDE + i]), sums);
      }
    }
    workgroupBarrier();
  }
  if (lane < COLUMNS) {
    let column = first_column + lane;
    store(0u, column, sums.x);
    store(1u, column, sums.y);
    store(2u, column, sums.z);
    store(3u, column, sums.w);
  }
}
