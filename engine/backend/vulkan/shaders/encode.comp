// Rows of f32 as int8. Groups: (groups of 32 elements / 16, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer From { float from[]; };
layout(set = 0, binding = 4) writeonly buffer To { uint to[]; };
const uint kThreads = 128;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { EncodePush p; };
#include "lib/int8.glsl"

void main() {
  const uint thread = gl_LocalInvocationID.x, word = thread % 8u, row = gl_WorkGroupID.y;
  const uint group = gl_WorkGroupID.x * (kThreads / 8u) + thread / 8u;
  const uint of_row = row * p.n_groups + group;
  vec4 elems = vec4(0.0), header;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    if (group < p.n_groups) elems[i] = from[of_row * 32u + 4u * word + i];
  }
  const uint codes = encode_quad(thread, elems, header);
  if (group >= p.n_groups) return;
  PUT_QUAD(to, of_row * kGroupWords, word, codes, header)
}
