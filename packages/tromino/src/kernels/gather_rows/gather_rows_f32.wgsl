struct Params {
  num_rows: u32,
  width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> rows: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

// One row per workgroup.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let row = workgroup.x + workgroup.y * grid.x;
  if (row >= params.num_rows) {
    return;
  }
  let source = rows[row] * params.width;
  for (var i = lane; i < params.width; i += 64u) {
    out[row * params.width + i] = x[source + i];
  }
}
