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

const COLUMNS = 32u;

fn a_at(row: u32, k: u32) -> f32 {
  return a[min(row, params.m - 1u) * params.k + k];
}

// Adds the products of one k to the sums of the (up to four) rows.
fn multiply(sums: vec4f, k: u32, w: f32) -> vec4f {
  return fma(vec4f(a_at(0u, k), a_at(1u, k), a_at(2u, k), a_at(3u, k)), vec4f(w), sums);
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

// Up to four rows, one column per invocation, any K. Eight weights are asked for before the first is used: the loads wait for memory
// together.
@compute @workgroup_size(32)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let column = (workgroup.x + workgroup.y * grid.x) * COLUMNS + lane;
  if (column >= params.n) {
    return;
  }
  let start = column * params.k;
  var sums = vec4f();
  var k = 0u;
  for (; k + 8u <= params.k; k += 8u) {
    let w0 = weight[start + k];
    let w1 = weight[start + k + 1u];
    let w2 = weight[start + k + 2u];
    let w3 = weight[start + k + 3u];
    let w4 = weight[start + k + 4u];
    let w5 = weight[start + k + 5u];
    let w6 = weight[start + k + 6u];
    let w7 = weight[start + k + 7u];
    sums = multiply(sums, k, w0);
    sums = multiply(sums, k + 1u, w1);
    sums = multiply(sums, k + 2u, w2);
    sums = multiply(sums, k + 3u, w3);
    sums = multiply(sums, k + 4u, w4);
    sums = multiply(sums, k + 5u, w5);
    sums = multiply(sums, k + 6u, w6);
    sums = multiply(sums, k + 7u, w7);
  }
  for (; k < params.k; k++) {
    sums = multiply(sums, k, weight[start + k]);
  }
  store(0u, column, sums.x);
  store(1u, column, sums.y);
  store(2u, column, sums.z);
  store(3u, column, sums.w);
}
