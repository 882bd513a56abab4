// Rows of f32 become f16 where they stand. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 4) buffer Rows { uint rows[]; };
const uint kThreads = 256;
layout(local_size_x = 256) in;
layout(push_constant) uniform Push { EncodeHalfPush p; };
#include "lib/half.glsl"

void main() {
  const uint thread = gl_LocalInvocationID.x, first = gl_WorkGroupID.y * p.n_cols;
  float most = 0.0;
  for (uint i = thread; i < p.n_cols; i += kThreads) most = max(most, abs(uintBitsToFloat(rows[first + i])));
  const float scale = scale_of_row(thread, most, p.half_exponent), inverse = inverse_of(scale);
  // A word goes where one stood that has been read: pairs come in order, some for each thread.
  for (uint base = 0u; base < p.n_cols; base += 2u * kThreads) {
    const uint i = base + 2u * thread;
    vec2 pair = vec2(0.0);
    if (i < p.n_cols) pair = vec2(uintBitsToFloat(rows[first + i]), uintBitsToFloat(rows[first + i + 1u]));
    barrier();
    if (i < p.n_cols) rows[first + i / 2u] = packHalf2x16(inverse * pair);
    barrier();
  }
  if (thread == 0u) rows[first + p.n_cols / 2u] = floatBitsToUint(scale);
}
