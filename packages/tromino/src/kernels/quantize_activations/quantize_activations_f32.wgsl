struct Params {
  rows: u32,
  k: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

fn zero() -> u32 {
  return params.rows >> 31u;
}

const LANES = 64u;
const HEADER = 4u;

var<workgroup> largest: array<u32, LANES>;
var<workgroup> sums: array<i32, LANES>;

fn code_of(value: f32, scale: f32) -> i32 {
  return i32(clamp(round(value * scale), -128.0, 127.0));
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
  let first = row * params.k;
  // Magnitudes are compared as bits, which order floats as the numbers do and put NaN above all of them.
  var bits = bitcast<u32>(1e-5f);
  for (var i = lane; i < params.k; i += LANES) {
    bits = max(bits, bitcast<u32>(x[first + i]) & 0x7fffffffu);
  }
  largest[lane] = bits;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      largest[lane] = max(largest[lane], largest[lane + half]);
    }
  }
  workgroupBarrier();
  let maximum = bitcast<f32>(largest[0]);
  // Beyond 1e35 a quotient needs a smaller divisor.
  let shift = select(1.0, 0x1p-60, maximum > 0x1p60);
  let scale = quotient(127.0, maximum * shift) * shift;

  let words = (params.k + 15u) / 16u * 4u;
  let start = row * (HEADER + words);
  var sum = 0;
  for (var word = lane; word < words; word += LANES) {
    var packed = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
      let i = word * 4u + byte;
      if (i < params.k) {
        let code = code_of(x[first + i], scale);
        sum += code;
        packed |= (u32(code) & 0xffu) << (8u * byte);
      }
    }
    out[start + HEADER + word] = packed;
  }
  sums[lane] = sum;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      sums[lane] += sums[lane + half];
    }
  }
  if (lane == 0u) {
    out[start] = bitcast<u32>(scale);
    out[start + 1u] = bitcast<u32>(sums[0]);
    out[start + 2u] = bitcast<u32>(quotient(maximum, 127.0));
    out[start + 3u] = 0u;
  }
}
