// The experts of a row by its logits, best first, and their weights: probabilities are a softmax over all or a sigmoid
// of each, a bias may be added for the choice, and those of the chosen are divided by their sum, perhaps times a factor
// of each. Where the choice needs probabilities, they take the place of the logits. Groups: (1, rows).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
layout(set = 0, binding = 1) readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 2) readonly buffer ChoiceBiases { float choice_biases[]; };
layout(set = 0, binding = 3) coherent buffer Logits { float logits[]; };
layout(set = 0, binding = 4) writeonly buffer Weights { float weights[]; };
layout(set = 0, binding = 5) writeonly buffer Ids { uint ids[]; };

const uint kThreads = 64;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { RoutePush p; };

shared float sums[kThreads];
shared float largest;

float sum_of_all(uint thread, float value) {
  sums[thread] = value;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  return sums[0];
}

float most_of_all(uint thread, float value) {
  sums[thread] = value;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n && sums[thread + half_n] > sums[thread]) sums[thread] = sums[thread + half_n];
    barrier();
  }
  return sums[0];
}

void put_probabilities(uint thread, uint at) {
  if (p.is_sigmoid != 0u) {
    for (uint expert = thread; expert < p.n_experts; expert += kThreads)
      logits[at + expert] = 1.0 / (1.0 + exp(-p.scale * logits[at + expert]));
  } else {
    float most = uintBitsToFloat(0xFF800000u), sum = 0.0;
    for (uint expert = thread; expert < p.n_experts; expert += kThreads)
      most = logits[at + expert] > most ? logits[at + expert] : most;
    most = most_of_all(thread, most);
    for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
      const float part = exp(p.scale * (logits[at + expert] - most));
      logits[at + expert] = part;
      if (!isnan(part)) sum += part;
    }
    barrier();  // the largest has been read
    sum = sum_of_all(thread, sum);
    for (uint expert = thread; expert < p.n_experts; expert += kThreads) logits[at + expert] /= sum;
  }
  memoryBarrierBuffer();
  barrier();
}

// What an expert is chosen by.
float score(uint at, uint expert) {
  return logits[at + expert] + (p.has_choice_bias != 0u ? choice_biases[expert] : 0.0);
}

// A damaged model computes no numbers: those come last, so that n_used different experts are chosen as well.
bool comes_before(uint a, float of_a, uint b, float of_b) {
  const bool is_number = !isnan(of_a), other_is = !isnan(of_b);
  if (is_number != other_is) return is_number;
  return is_number && of_a != of_b ? of_a > of_b : a < b;
}

uint rank_of(uint at, uint expert) {
  const float own = score(at, expert);
  uint rank = 0u;
  for (uint other = 0u; other < p.n_experts; ++other)
    rank += other != expert && comes_before(other, score(at, other), expert, own) ? 1u : 0u;
  return rank;
}

float weight_of(uint at, uint expert, bool is_probability) {
  const float of_expert = logits[at + expert];
  return is_probability ? of_expert : exp(p.scale * (of_expert - largest));
}

void main() {
  const uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.y, at = row * p.n_experts;
  float chosen = 0.0;
  // Of a softmax the sum over all cancels out where weights are divided by theirs.
  const bool needs_all = p.is_sigmoid != 0u || p.least_sum == 0.0 || p.has_choice_bias != 0u;
  if (needs_all) put_probabilities(thread, at);
  // One pass finds the rank of each expert, another weighs those that were chosen against the best.
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const uint rank = rank_of(at, expert);
    if (rank == 0u) largest = logits[at + expert];
    if (rank < p.n_used) ids[row * p.n_used + rank] = expert;
  }
  barrier();
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const uint rank = rank_of(at, expert);
    if (rank < p.n_used) chosen += weight_of(at, expert, needs_all);
  }
  const float sum = sum_of_all(thread, chosen), divisor = p.least_sum == 0.0 ? 1.0 : max(sum, p.least_sum);
  for (uint expert = thread; expert < p.n_experts; expert += kThreads) {
    const uint rank = rank_of(at, expert);
    if (rank >= p.n_used) continue;
    const float factor = p.has_scales != 0u ? scales[expert] : 1.0;
    weights[row * p.n_used + rank] = weight_of(at, expert, needs_all) / divisor * factor * p.weight_scale;
  }
}
