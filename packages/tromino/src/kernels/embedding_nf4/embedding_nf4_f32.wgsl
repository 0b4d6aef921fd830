struct Params {
  num_tokens: u32,
  hidden: u32,
  first_row: u32,
  num_rows: u32,
  scale: f32,
  block_shift: u32,
  scales_by_row: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> codes: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<f32>;
@group(0) @binding(3) var<storage, read> quant_map: array<f32>;
@group(0) @binding(4) var<storage, read> ids: array<u32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;

fn block_scale(row: u32, column: u32) -> f32 {
  if (params.scales_by_row != 0u) {
    return scales[(column >> params.block_shift) * params.num_rows + row];
  }
  return scales[(row * params.hidden + column) >> params.block_shift];
}

// One token per workgroup. An id below the chunk wraps around to a huge row, so that one comparison covers both sides. A row's words lie
// far apart, since the products want neighbouring rows side by side; there are few tokens, and eight invocations share a word.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let token = workgroup.x + workgroup.y * grid.x;
  if (token >= params.num_tokens) {
    return;
  }
  let row = ids[token] - params.first_row;
  if (row >= params.num_rows) {
    return;
  }
  for (var i = lane; i < params.hidden; i += 64u) {
    let code = (codes[(i >> 3u) * params.num_rows + row] >> (4u * (i & 7u))) & 15u;
    let value = quant_map[code] * block_scale(row, i);
    // A product with 1 could flush a subnormal number.
    out[token * params.hidden + i] = select(value * params.scale, value, params.scale == 1.0);
  }
}
