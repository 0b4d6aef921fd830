struct Params {
  rows: u32,
  inner: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

// One element per invocation.
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let i = (workgroup.x + workgroup.y * grid.x) * 256u + lane;
  if (i >= params.rows * params.inner) {
    return;
  }
  let row = i / params.inner;
  let gate = row * 2u * params.inner + i % params.inner;
  out[i] = activate(x[gate]) * x[gate + params.inner];
}
