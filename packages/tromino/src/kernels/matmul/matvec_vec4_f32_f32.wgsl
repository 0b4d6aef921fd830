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
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read> residual: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

const COLUMNS = 32u;

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

// Up to four rows, one column per invocation. K is a multiple of 4. Eight quads of a weight row are asked for before the first is
// used: the loads wait for memory together, and read whole cache lines.
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
  let quads = params.k / 4u;
  let start = column * quads;
  var sums = vec4f();
  var quad = 0u;
  for (; quad + 8u <= quads; quad += 8u) {
    let w0 = weight[start + quad];
    let w1 = weight[start + quad + 1u];
    let w2 = weight[start + quad + 2u];
    let w3 = weight[start + quad + 3u];
    let w4 = weight[start + quad + 4u];
    let w5 = weight[start + quad + 5u];
    let w6 = weight[start + quad + 6u];
    let w7 = weight[start + quad + 7u];
    sums = multiply(sums, quad, quads, w0);
    sums = multiply(sums, quad + 1u, quads, w1);
    sums = multiply(sums, quad + 2u, quads, w2);
    sums = multiply(sums, quad + 3u, quads, w3);
    sums = multiply(sums, quad + 4u, quads, w4);
    sums = multiply(sums, quad + 5u, quads, w5);
    sums = multiply(sums, quad + 6u, quads, w6);
    sums = multiply(sums, quad + 7u, quads, w7);
  }
  for (; quad < quads; quad++) {
    sums = multiply(sums, quad, quads, weight[start + quad]);
  }
  store(0u, column, sums.x);
  store(1u, column, sums.y);
  store(2u, column, sums.z);
  store(3u, column, sums.w);
}
