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

const COLUMNS = 32u;

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

// Adds the products of 16 elements to the sums of the (up to four) rows.
fn multiply(sums: vec4i, group: u32, word: u32) -> vec4i {
  let w = fields(word);
  return sums + vec4i(
    dot16(a[row_start(0u) + 1u + group], w),
    dot16(a[row_start(1u) + 1u + group], w),
    dot16(a[row_start(2u) + 1u + group], w),
    dot16(a[row_start(3u) + 1u + group], w),
  );
}

// Up to four rows, one column per invocation. Four words are asked for before the first is used: the loads wait for memory together.
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
  let groups = (params.k + 15u) / 16u;
  var sums = vec4i();
  var group = 0u;
  for (; group + 4u <= groups; group += 4u) {
    let w0 = weight[group * params.n + column];
    let w1 = weight[(group + 1u) * params.n + column];
    let w2 = weight[(group + 2u) * params.n + column];
    let w3 = weight[(group + 3u) * params.n + column];
    sums = multiply(sums, group, w0);
    sums = multiply(sums, group + 1u, w1);
    sums = multiply(sums, group + 2u, w2);
    sums = multiply(sums, group + 3u, w3);
  }
  for (; group < groups; group++) {
    sums = multiply(sums, group, weight[group * params.n + column]);
  }
  store(0u, column, sums.x);
  store(1u, column, sums.y);
  store(2u, column, sums.z);
  store(3u, column, sums.w);
}
