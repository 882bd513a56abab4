// Heads times a gate of the same size: those of a delta net are normed, and multiplied by SiLU of the gate; those of
// attention by its sigmoid. In place, or as int8. Groups: (heads, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Weight { float weight[]; };
layout(set = 0, binding = 3) readonly buffer Gates { float gates[]; };
layout(set = 0, binding = 4) buffer Heads { float heads[]; };
layout(set = 0, binding = 5) writeonly buffer To { uint to[]; };

layout(constant_id = 0) const uint kHeadDim = 128;
layout(constant_id = 1) const uint kIsNormed = 0;
layout(constant_id = 2) const uint kEncoding = 0;  // of what it writes, as enum class Encoding
const uint kInt8 = 1;
const uint kThreads = 64;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { GateHeadsPush p; };

#include "lib/int8.glsl"
shared float sums[kThreads];

float factor_of(uint thread, uint first) {
  if (kIsNormed == 0u) return 1.0;
  float sum = 0.0;
  for (uint i = thread; i < kHeadDim; i += kThreads) sum += heads[first + i] * heads[first + i];
  sums[thread] = sum;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  return 1.0 / sqrt(sums[0] / float(kHeadDim) + p.epsilon);
}

float gated(uint first, uint i, float factor) {
  const float gate = gates[first + i];
  if (kIsNormed == 0u) return heads[first + i] / (1.0 + exp(-gate));
  return heads[first + i] * factor * weight[i] * silu(gate);
}

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint first = (gl_WorkGroupID.y * p.n_heads + gl_WorkGroupID.x) * kHeadDim;
  const float factor = factor_of(thread, first);
  if (kEncoding != kInt8) {
    for (uint i = thread; i < kHeadDim; i += kThreads) heads[first + i] = gated(first, i, factor);
    return;
  }
  // Whole groups of 32 elements, of which eight threads have four each.
  for (uint base = 0u; base < kHeadDim; base += 4u * kThreads) {
    const uint i = base + 4u * thread, word = thread % 8u;
    vec4 elems = vec4(0.0), header;
    [[unroll]] for (uint k = 0u; k < 4u; ++k) {
      if (i < kHeadDim) elems[k] = gated(first, i + k, factor);
    }
    const uint codes = encode_quad(thread, elems, header);
    if (i >= kHeadDim) continue;
    PUT_QUAD(to, (first + i) / 32u * kGroupWords, word, codes, header)
  }
}
