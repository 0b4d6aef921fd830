// Exponentials of the scores of one chunk of keys.
var<workgroup> weights: array<f32, LANES>;

// For any row length: one head of one query per workgroup. Nothing that grows with the row is kept; scores are computed once for the
// maximum, once for the sum, and once for every 64 elements of the output.
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
  let row_end = tokens[query].y;

  var lane_largest = -SCORE_LIMIT;
  for (var key = row_start + lane; key < row_end; key += LANES) {
    lane_largest = max(lane_largest, score(query, key, head));
  }
  let largest = max_of_lanes(lane, lane_largest);
  var lane_sum = 0.0;
  for (var key = row_start + lane; key < row_end; key += LANES) {
    lane_sum += exponential(score(query, key, head), largest);
  }
  let sum = sum_of_lanes(lane, lane_sum);

  for (var first = 0u; first < params.head_dim; first += LANES) {
    let column = first + lane;
    var total = 0.0;
    for (var chunk = row_start; chunk < row_end; chunk += LANES) {
      let num_keys = min(LANES, row_end - chunk);
      if (lane < num_keys) {
        weights[lane] = exponential(score(query, chunk + lane, head), largest);
      }
      workgroupBarrier();
      if (column < params.head_dim) {
        var value = chunk * params.value_stride + params.value_offset + head * params.head_dim + column;
        for (var i = 0u; i < num_keys; i++) {
          if (weights[i] != 0.0) {
            total = fma(weights[i], v[value], total);
          }
          value += params.value_stride;
        }
      }
      workgroupBarrier();
    }
    if (column < params.head_dim) {
      out[index * params.head_dim + column] = mean_of(total, sum, largest);
    }
  }
}
