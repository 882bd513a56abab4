// Queries are finished where they stand. Groups: (heads, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
#include "lib/heads.glsl"

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint first = (gl_WorkGroupID.y * p.n_heads + gl_WorkGroupID.x) * kHeadDim;
  finish_head(thread, first, false);
  for (uint i = thread; i < kHeadDim; i += kThreads) heads[first + i] = head[i];
}
