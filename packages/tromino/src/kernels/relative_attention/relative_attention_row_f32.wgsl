// Keys that `weights` has room for.
const ROW_CAPACITY = 2048u;

// First the scores of the row's keys, then their exponentials.
var<workgroup> weights: array<f32, ROW_CAPACITY>;

// One head of one query per workgroup, the scores of its row in workgroup memory.
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
  let query = index / params.num_heads;
  let head = index % params.num_heads;
  let row_start = tokens[query].x;
  let num_keys = tokens[query].y - row_start;

  var lane_largest = -SCORE_LIMIT;
  for (var i = lane; i < num_keys; i += LANES) {
    let score = score(query, row_start + i, head);
    weights[i] = score;
    lane_largest = max(lane_largest, score);
  }
  let largest = max_of_lanes(lane, lane_largest);
  var lane_sum = 0.0;
  for (var i = lane; i < num_keys; i += LANES) {
    let weight = exponential(weights[i], largest);
    weights[i] = weight;
    lane_sum += weight;
  }
  let sum = sum_of_lanes(lane, lane_sum);

  for (var column = lane; column < params.head_dim; column += LANES) {
    var value = row_start * params.value_stride + params.value_offset + head * params.head_dim + column;
    var total = 0.0;
    for (var i = 0u; i < num_keys; i++) {
      if (weights[i] != 0.0) {
        total = fma(weights[i], v[value], total);
      }
      value += params.value_stride;
    }
    out[index * params.head_dim + column] = mean_of(total, sum, largest);
  }
}
