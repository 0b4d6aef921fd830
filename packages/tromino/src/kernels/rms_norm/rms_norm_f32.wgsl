struct Params {
  rows: u32,
  hidden: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

fn zero() -> u32 {
  return params.rows >> 31u;
}

var<workgroup> partial: array<f32, 64>;

// One row per workgroup of 64 lanes.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let row = workgroup.x + workgroup.y * grid.x;
  if (row >= params.rows) {
    return;
  }
  let start = row * params.hidden;
  var sum = 0.0;
  for (var i = lane; i < params.hidden; i += 64u) {
    let value = x[start + i];
    sum += rounded(value * value);
  }
  partial[lane] = sum;
  for (var half = 32u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
  }
  workgroupBarrier();
  let mean = rounded(partial[0] * quotient(1.0, f32(params.hidden)));
  let scale = inverse_root(mean + params.epsilon);
  for (var i = lane; i < params.hidden; i += 64u) {
    out[start + i] = x[start + i] * scale * weight[i];
  }
}
