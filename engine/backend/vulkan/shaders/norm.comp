// RMS norm of rows: into other rows, or added to the residual. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Weight { float weight[]; };
layout(set = 0, binding = 3) readonly buffer From { float from[]; };
layout(set = 0, binding = 4) buffer To { float to[]; };

layout(constant_id = 0) const uint kIsGathered = 0;  // of the rows that ask for logits
layout(constant_id = 1) const uint kIsAdded = 0;
const uint kThreads = 128;
layout(local_size_x = 128) in;
layout(push_constant) uniform Push {
  uint n_cols;
  uint logit_rows_at;  // of the inputs
  float epsilon;
} p;

shared float sums[kThreads];

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y;
  const uint first = (kIsGathered != 0u ? inputs[p.logit_rows_at + row] : row) * p.n_cols;
  float sum = 0.0;
  for (uint i = thread; i < p.n_cols; i += kThreads) sum += from[first + i] * from[first + i];
  sums[thread] = sum;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  const float factor = 1.0 / sqrt(sums[0] / float(p.n_cols) + p.epsilon);
  for (uint i = thread; i < p.n_cols; i += kThreads) {
    const float normed = from[first + i] * factor * weight[i];
    if (kIsAdded != 0u) {
      to[row * p.n_cols + i] += normed;
    } else {
      to[row * p.n_cols + i] = normed;
    }
  }
}
