// What its experts made of each row, times their weights: into a row, or added to it. Groups: (columns / 128, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 3) readonly buffer Made { float made[]; };  // (rows, n_used, n_cols)
layout(set = 0, binding = 4) buffer To { float to[]; };
layout(set = 0, binding = 6) readonly buffer Weights { float weights[]; };  // (rows, n_used)
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { AddExpertsPush p; };

void main() {
  const uint col = gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (col >= p.n_cols) return;
  float sum = 0.0;
  for (uint i = 0u; i < p.n_used; ++i) {
    const uint choice = row * p.n_used + i;
    sum += weights[choice] * made[choice * p.n_cols + col];
  }
  const uint at = row * p.n_cols + col;
  to[at] = p.is_added != 0u ? to[at] + sum : sum;
}
