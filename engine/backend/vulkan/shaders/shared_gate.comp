// The gate of a shared expert: the sigmoid of the normed row times the gate's weights. Both sums are of the row as it
// is, as the matrices of the expert may read a norm of fewer bits. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Weight { float weight[]; };  // of the norm
layout(set = 0, binding = 2) readonly buffer Gate { float gate[]; };
layout(set = 0, binding = 3) readonly buffer Residual { float residual[]; };
layout(set = 0, binding = 4) writeonly buffer Gates { float gates[]; };  // (rows)

const uint kThreads = 128;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push { SharedGatePush p; };

shared vec2 sums[kThreads];  // of squares, of products

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y;
  vec2 sum = vec2(0.0);
  for (uint i = thread; i < p.n_cols; i += kThreads) {
    const float elem = residual[row * p.n_cols + i];
    sum += elem * vec2(elem, weight[i] * gate[i]);
  }
  sums[thread] = sum;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  if (thread != 0u) return;
  const float product = sums[0].y / sqrt(sums[0].x / float(p.n_cols) + p.epsilon);
  gates[row] = 1.0 / (1.0 + exp(-product));
}
