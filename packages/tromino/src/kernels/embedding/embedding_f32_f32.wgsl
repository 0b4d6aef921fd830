struct Params {
  num_tokens: u32,
  hidden: u32,
  first_row: u32,
  num_rows: u32,
  scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read> ids: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

// One token per workgroup. An id below the chunk wraps around to a huge row, so that one comparison covers both sides.
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
    let value = table[row * params.hidden + i];
    // A product with 1 could flush a subnormal number.
    out[token * params.hidden + i] = select(value * params.scale, value, params.scale == 1.0);
  }
}
