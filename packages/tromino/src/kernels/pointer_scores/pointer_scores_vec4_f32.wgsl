struct Params {
  num_questions: u32,
  max_row_tokens: u32,
  width: u32,
  scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Per token four vectors: as a start's question, as an end's question, as a start, as an end.
@group(0) @binding(1) var<storage, read> projected: array<vec4f>;
// Per question: the token that stands for it, its row's first token, tokens of the row, its first pair.
@group(0) @binding(2) var<storage, read> questions: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

const TOKENS = 32u;

// A workgroup takes one question and 32 tokens of its row; two neighbouring invocations score a token, as a start and as an end.
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = workgroup.x + workgroup.y * grid.x;
  let blocks = (params.max_row_tokens + TOKENS - 1u) / TOKENS;
  if (index >= params.num_questions * blocks) {
    return;
  }
  let question = questions[index / blocks];
  let place = index % blocks * TOKENS + lane / 2u;
  if (place >= question.z) {
    return;
  }
  let side = lane % 2u;
  let quads = params.width / 4u;
  let asked = (question.x * 4u + side) * quads;
  let token = ((question.y + place) * 4u + 2u + side) * quads;
  var sums = vec4f(0.0);
  for (var i = 0u; i < quads; i++) {
    sums = fma(projected[asked + i], projected[token + i], sums);
  }
  out[(question.w + place) * 2u + side] = ((sums.x + sums.y) + (sums.z + sums.w)) * params.scale;
}
