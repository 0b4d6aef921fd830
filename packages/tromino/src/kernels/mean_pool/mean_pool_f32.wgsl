struct Params {
  num_rows: u32,
  width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
// Per token: row start, row end, position, row.
@group(0) @binding(2) var<storage, read> tokens: array<vec4u>;
@group(0) @binding(3) var<storage, read> rows: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

const COLUMNS = 32u;
const LANES = 8u;

var<workgroup> partial: array<f32, COLUMNS * LANES>;

// 32 columns of one row per workgroup: eight lanes share the tokens of each column.
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) index: u32,
) {
  let blocks = (params.width + COLUMNS - 1u) / COLUMNS;
  let block = workgroup.x + workgroup.y * grid.x;
  if (block >= blocks * params.num_rows) {
    return;
  }
  let row = block / blocks;
  let column = block % blocks * COLUMNS + index % COLUMNS;
  let lane = index / COLUMNS;
  let token = tokens[rows[row]];
  var sum = 0.0;
  if (column < params.width) {
    for (var t = token.x + lane; t < token.y; t += LANES) {
      sum += x[t * params.width + column];
    }
  }
  partial[index] = sum;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      partial[index] += partial[index + half * COLUMNS];
    }
  }
  if (lane == 0u && column < params.width) {
    out[row * params.width + column] = partial[index] / f32(token.y - token.x);
  }
}
