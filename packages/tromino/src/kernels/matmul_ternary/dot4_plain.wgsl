// Σ of four products of signed bytes of a and bytes of b, which are below 128.
fn dot4(a: u32, b: u32) -> i32 {
  let left = vec4i(i32(a << 24u), i32(a << 16u), i32(a << 8u), i32(a)) >> vec4u(24u);
  let right = vec4i((vec4u(b) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu));
  return dot(left, right);
}

