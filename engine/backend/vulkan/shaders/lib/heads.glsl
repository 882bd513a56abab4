// What happens to a head between its product and its use: norm, RoPE, balance and rotation. Groups: (heads, rows).
layout(set = 0, binding = 1) readonly buffer Norm { float norm[]; };
layout(set = 0, binding = 2) readonly buffer Balance { float balance[]; };
layout(set = 0, binding = 4) buffer Heads { float heads[]; };
#include "cache.glsl"

layout(constant_id = 0) const uint kHeadDim = 64;
layout(constant_id = 1) const uint kIsValue = 0;  // is not turned, and normed without a weight
layout(constant_id = 2) const uint kCacheType = 1;
layout(constant_id = 3) const uint kNorms = 0;  // enum class HeadNorm: 0 none, 1 before the rotation, 2 behind it
layout(constant_id = 4) const uint kTurnsNeighbours = 0;  // else halves
layout(constant_id = 5) const uint kIsRotated = 0;
layout(constant_id = 6) const uint kIsBalanced = 0;
layout(constant_id = 7) const uint kIsSearched = 0;  // Q4_0 scales; else those of a plain cache
const uint kThreads = 64;
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { HeadsPush p; };

shared float head[kHeadDim];
shared float sums[kThreads];
#define HEAD(i) head[i]
#include "rotate.glsl"

void add_up(uint thread) {
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
}

void norm_head(uint thread) {
  sums[thread] = 0.0;
  for (uint i = thread; i < kHeadDim; i += kThreads) sums[thread] += head[i] * head[i];
  add_up(thread);
  const float factor = 1.0 / sqrt(sums[0] / float(kHeadDim) + p.epsilon);
  for (uint i = thread; i < kHeadDim; i += kThreads) head[i] *= kIsValue != 0u ? factor : factor * norm[i];
  barrier();
}

// The inputs have cosines and sines of each row: Vulkan's own are too coarse for large angles.
void turn_head(uint thread, uint row) {
  const uint n_pairs = p.rope_dim / 2u, at = p.rope_at + row * p.rope_dim;
  for (uint pair = thread; pair < n_pairs; pair += kThreads) {
    const uint i = kTurnsNeighbours != 0u ? 2u * pair : pair;
    const uint j = kTurnsNeighbours != 0u ? i + 1u : pair + n_pairs;
    const float cosine = uintBitsToFloat(inputs[at + pair]), sine = uintBitsToFloat(inputs[at + n_pairs + pair]);
    const float x = head[i], y = head[j];
    head[i] = x * cosine - y * sine;
    head[j] = x * sine + y * cosine;
  }
  barrier();
}

// Reads the head of this group, and leaves it in shared memory as it is used. `divides`: keys are divided by the balance
// that queries are multiplied with.
void finish_head(uint thread, uint first, bool divides) {
  for (uint i = thread; i < kHeadDim; i += kThreads) head[i] = heads[first + i];
  barrier();
  if (kNorms == 1u) norm_head(thread);
  if (kIsValue == 0u) turn_head(thread, gl_WorkGroupID.y);
  if (kNorms == 2u) norm_head(thread);
  if (kIsBalanced != 0u) {  // see model/key_balance.h
    const uint of = p.balance_at + gl_WorkGroupID.x / p.group * kHeadDim;
    for (uint i = thread; i < kHeadDim; i += kThreads) {
      if (divides) {
        head[i] /= balance[of + i];
      } else {
        head[i] *= balance[of + i];
      }
    }
    barrier();
  }
  if (kIsRotated != 0u) rotate_head(thread);
}
