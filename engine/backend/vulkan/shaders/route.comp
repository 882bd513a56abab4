// The experts of a row by its logits, best first, and their weights: a softmax over all, divided by the sum of those that
// were chosen, perhaps times a factor of each. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 3) readonly buffer Logits { float logits[]; };
layout(set = 0, binding = 4) writeonly buffer Weights { float weights[]; };
layout(set = 0, binding = 5) writeonly buffer Ids { uint ids[]; };

const uint kThreads = 64;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { RoutePush p; };

shared float sums[kThreads];
shared float largest;

// A damaged model computes no numbers: those come last, so that n_used different experts are chosen as well.
bool comes_before(uint a, float of_a, uint b, float of_b) {
  const bool is_number = !isnan(of_a), other_is = !isnan(of_b);
  if (is_number != other_is) return is_number;
  return is_number && of_a != of_b ? of_a > of_b : a < b;
}

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y, at = row * p.n_experts;
  float chosen = 0.0;
  // One pass finds the rank of each expert, another weighs those that were chosen against the best.
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const float logit = logits[at + expert];
    uint rank = 0u;
    for (uint other = 0u; other < p.n_experts; ++other)
      rank += other != expert && comes_before(other, logits[at + other], expert, logit) ? 1u : 0u;
    if (rank == 0u) largest = logit;
    if (rank < p.n_used) ids[row * p.n_used + rank] = expert;
  }
  barrier();
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const float logit = logits[at + expert];
    uint rank = 0u;
    for (uint other = 0u; other < p.n_experts; ++other)
      rank += other != expert && comes_before(other, logits[at + other], expert, logit) ? 1u : 0u;
    if (rank < p.n_used) chosen += exp(p.scale * (logit - largest));
  }
  sums[thread] = chosen;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const float logit = logits[at + expert];
    uint rank = 0u;
    for (uint other = 0u; other < p.n_experts; ++other)
      rank += other != expert && comes_before(other, logits[at + other], expert, logit) ? 1u : 0u;
    if (rank >= p.n_used) continue;
    const float factor = p.has_scales != 0u ? scales[expert] : 1.0;
    weights[row * p.n_used + rank] = exp(p.scale * (logit - largest)) / sums[0] * factor;
  }
}
