struct Params {
  num_tokens: u32,
  row_stride: u32,
  num_query_heads: u32,
  num_key_heads: u32,
  head_dim: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> qkv: array<f32>;
@group(0) @binding(2) var<storage, read> q_weight: array<f32>;
@group(0) @binding(3) var<storage, read> k_weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

var<workgroup> partial: array<f32, 64>;

// One head of one token per workgroup of 64 lanes.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = workgroup.x + workgroup.y * grid.x;
  let num_heads = params.num_query_heads + params.num_key_heads;
  if (index >= params.num_tokens * num_heads) {
    return;
  }
  let token = index / num_heads;
  let head = index % num_heads;
  let start = token * params.row_stride + head * params.head_dim;
  var sum = 0.0;
  for (var i = lane; i < params.head_dim; i += 64u) {
    let value = qkv[start + i];
    sum = fma(value, value, sum);
  }
  partial[lane] = sum;
  for (var half = 32u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[lane] += partial[lane + half];
    }
  }
  workgroupBarrier();
  let scale = 1.0 / sqrt(partial[0] / f32(params.head_dim) + params.epsilon);
  for (var i = lane; i < params.head_dim; i += 64u) {
    var weight = q_weight[i];
    if (head >= params.num_query_heads) {
      weight = k_weight[i];
    }
    out[index * params.head_dim + i] = qkv[start + i] * scale * weight;
  }
}
