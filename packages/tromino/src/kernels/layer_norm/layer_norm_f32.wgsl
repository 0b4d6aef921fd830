struct Params {
  rows: u32,
  hidden: u32,
  epsilon: f32,
  has_bias: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

var<workgroup> partial: array<f32, 64>;

// The sum of what the lanes bring, by a halving tree; the same for all of them.
fn sum_of_lanes(lane: u32, value: f32) -> f32 {
  partial[lane] = value;
  for (var half = 32u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
  }
  workgroupBarrier();
  let sum = partial[0];
  workgroupBarrier();
  return sum;
}

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
    sum += x[start + i];
  }
  let mean = sum_of_lanes(lane, sum) / f32(params.hidden);
  var squares = 0.0;
  for (var i = lane; i < params.hidden; i += 64u) {
    let difference = x[start + i] - mean;
    squares = fma(difference, difference, squares);
  }
  let variance = sum_of_lanes(lane, squares) / f32(params.hidden);
  let scale = 1.0 / sqrt(variance + params.epsilon);
  for (var i = lane; i < params.hidden; i += 64u) {
    let normed = (x[start + i] - mean) * scale;
    if (params.has_bias != 0u) {
      out[start + i] = fma(normed, weight[i], bias[i]);
    } else {
      out[start + i] = normed * weight[i];
    }
  }
}
