struct Params {
  num_tokens: u32,
  row_stride: u32,
  num_heads: u32,
  head_dim: u32,
  rotary_dim: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> table: array<vec2f>;
@group(0) @binding(3) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

fn zero() -> u32 {
  return params.num_tokens >> 31u;
}

// One head of one token per workgroup.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = workgroup.x + workgroup.y * grid.x;
  if (index >= params.num_tokens * params.num_heads) {
    return;
  }
  let token = index / params.num_heads;
  let head = index % params.num_heads;
  let source = token * params.row_stride + head * params.head_dim;
  let target_start = index * params.head_dim;
  let half = params.rotary_dim / 2u;
  let position = tokens[token].z;
  for (var i = lane; i < half; i += 64u) {
    let lower = x[source + i];
    let upper = x[source + i + half];
    let turn = table[position * half + i];
    out[target_start + i] = rounded(lower * turn.x) - rounded(upper * turn.y);
    out[target_start + i + half] = rounded(upper * turn.x) + rounded(lower * turn.y);
  }
  for (var i = params.rotary_dim + lane; i < params.head_dim; i += 64u) {
    out[target_start + i] = x[source + i];
  }
}
