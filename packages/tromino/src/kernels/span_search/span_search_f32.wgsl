struct Params {
  num_rows: u32,
  top_k: u32,
  max_answer_tokens: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Per token: start, end.
@group(0) @binding(1) var<storage, read> logits: array<vec2f>;
// Per row: first token of the context, one past its last, first token of the row, that token's place among the boundaries.
@group(0) @binding(2) var<storage, read> contexts: array<vec4u>;
// Per token: where a span that starts with it begins, where one that ends with it ends; counted from the row's first token.
@group(0) @binding(3) var<storage, read> boundaries: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

const LANES = 256u;
// Numbers that a row of `out` begins with.
const HEADER = 3u;
const NONE = 0xffffffffu;

// A span between two boundaries; `start` is NONE where there is none.
struct Span {
  score: f32,
  start: u32,
  end: u32,
}

var<workgroup> best_of: array<Span, LANES>;
var<workgroup> non_finite_of: array<u32, LANES>;

// By the bits: a compiler may take for granted that there is no NaN.
fn is_finite(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

// Whether a comes before b in the order of the answers. Of spans that are one, with the same score, neither does.
fn comes_before(a: Span, b: Span) -> bool {
  if (a.start == NONE || b.start == NONE) {
    return b.start == NONE && a.start != NONE;
  }
  if (a.score != b.score) {
    return a.score > b.score;
  }
  return a.start < b.start || (a.start == b.start && a.end < b.end);
}

// Whether a span is among the first answers that were written already, where it had a higher score.
fn is_written(span: Span, answers: u32, count: u32) -> bool {
  for (var k = 0u; k < count; k++) {
    let place = answers + 3u * k;
    if (out[place + 1u] == f32(span.start) && out[place + 2u] == f32(span.end - 1u)) {
      return true;
    }
  }
  return false;
}

// One row per workgroup, one answer per round: the best span of those behind the one before. Lanes share the first tokens.
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let row = workgroup.x + workgroup.y * grid.x;
  if (row >= params.num_rows) {
    return;
  }
  let context = contexts[row];
  let row_out = row * (HEADER + 3u * params.top_k);
  let answers = row_out + HEADER;
  let row_boundaries = context.w - context.z;
  var before = Span(0.0, NONE, NONE);
  for (var k = 0u; k < params.top_k; k++) {
    var best = Span(0.0, NONE, NONE);
    for (var first = context.x + lane; first < context.y; first += LANES) {
      let start_score = logits[first].x;
      let start = boundaries[row_boundaries + first].x;
      let end = min(context.y, first + params.max_answer_tokens);
      for (var last = first; last < end; last++) {
        let span = Span(start_score + logits[last].y, start, boundaries[row_boundaries + last].y);
        let is_candidate = is_finite(span.score) && span.start < span.end && comes_before(span, best);
        if (is_candidate && (k == 0u || comes_before(before, span)) && !is_written(span, answers, k)) {
          best = span;
        }
      }
    }
    best_of[lane] = best;
    for (var half = LANES / 2u; half > 0u; half >>= 1u) {
      workgroupBarrier();
      if (lane < half && comes_before(best_of[lane + half], best_of[lane])) {
        best_of[lane] = best_of[lane + half];
      }
    }
    workgroupBarrier();
    before = best_of[0];
    if (lane == 0u) {
      let place = answers + 3u * k;
      let is_found = before.start != NONE;
      out[place] = select(0.0, before.score, is_found);
      out[place + 1u] = select(-1.0, f32(before.start), is_found);
      out[place + 2u] = select(-1.0, f32(before.end - 1u), is_found);
    }
    workgroupBarrier();
    storageBarrier();
  }

  var non_finite = NONE;
  for (var token = context.x + lane; token < context.y; token += LANES) {
    non_finite = min(non_finite, non_finite_place(token, context.z));
  }
  non_finite_of[lane] = non_finite;
  for (var half = LANES / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (lane < half) {
      non_finite_of[lane] = min(non_finite_of[lane], non_finite_of[lane + half]);
    }
  }
  if (lane == 0u) {
    let no_answer = logits[context.z];
    let place = min(non_finite_of[0], non_finite_place(context.z, context.z));
    out[row_out] = no_answer.x + no_answer.y;
    out[row_out + 1u] = select(f32(place) + 1.0, 0.0, place == NONE);
    out[row_out + 2u] = 0.0;
    if (place != NONE) {
      out[row_out + 2u] = logits[context.z + place / 2u][place % 2u];
    }
  }
}

// Place of a token's first logit that is not finite, counted from the row's first; NONE if both are finite.
fn non_finite_place(token: u32, row_first: u32) -> u32 {
  let pair = logits[token];
  let place = (token - row_first) * 2u;
  if (!is_finite(pair.x)) {
    return place;
  }
  return select(place + 1u, NONE, is_finite(pair.y));
}
