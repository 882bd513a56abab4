// A layer's part of the layer inputs, times act(gate): in the place of the gate, or as int8. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer From { float from[]; };
layout(set = 0, binding = 4) buffer Gates { float gates[]; };
layout(set = 0, binding = 5) writeonly buffer To { uint to[]; };

layout(constant_id = 0) const uint kActivation = 0;
layout(constant_id = 1) const uint kEncoding = 0;  // of what it writes, as enum class Encoding
const uint kInt8 = 1;
const uint kThreads = 64;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { GateInputsPush p; };

#include "lib/int8.glsl"

float gated(uint row, uint i) {
  return activated(kActivation, gates[row * p.n_cols + i], from[row * p.n_elems + p.first + i]);
}

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y;
  if (kEncoding != kInt8) {
    for (uint i = thread; i < p.n_cols; i += kThreads) gates[row * p.n_cols + i] = gated(row, i);
    return;
  }
  // Whole groups of 32 elements, of which eight threads have four each.
  for (uint base = 0u; base < p.n_cols; base += 4u * kThreads) {
    const uint i = base + 4u * thread, word = thread % 8u;
    vec4 elems = vec4(0.0), header;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      if (i < p.n_cols) elems[k] = gated(row, i + k);
    }
    const uint codes = encode_quad(thread, elems, header);
    if (i >= p.n_cols) continue;
    PUT_QUAD(to, (row * p.n_cols + i) / 32u * kGroupWords, word, codes, header)
  }
}
