// The largest logit of each block of 64 tokens, and of 1,024 the sum of exponentials relative to their largest. Groups:
// (sum blocks, queries).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "lib/buffers.glsl"
#include "lib/candidates.glsl"

const uint kBlocks = kRowSumBlock / kRowBlock, kThreadsOfBlock = kThreads / kBlocks, kEach = kRowSumBlock / kThreads;
shared uint orders[kRowSumBlock];
shared uint largest[kThreads];
shared uint of_blocks[kBlocks];
shared float sums[kThreads];

void main() {
  const uint thread = gl_LocalInvocationID.x, query = gl_WorkGroupID.y, first = gl_WorkGroupID.x * kRowSumBlock;
  if (n_best_of(query) == 0u) return;  // the whole group
  const uint row_at = query_row(query) * p.n_vocab + first, n = min(kRowSumBlock, p.n_vocab - first);
  [[unroll]] for (uint i = 0u; i < kEach; ++i) {
    const uint at = thread + i * kThreads;
    orders[at] = at < n ? order_of(logits[row_at + at]) : 0u;
  }
  barrier();
  uint most = 0u;
  [[unroll]] for (uint i = 0u; i < kEach; ++i) most = max(most, orders[thread * kEach + i]);
  largest[thread] = most;
  barrier();
  if (thread < kBlocks) {
    most = 0u;
    [[unroll]] for (uint i = 0u; i < kThreadsOfBlock; ++i) most = max(most, largest[thread * kThreadsOfBlock + i]);
    of_blocks[thread] = most;
    const uint block = gl_WorkGroupID.x * kBlocks + thread;
    if (block < n_blocks()) maxima[query * p.maxima_words + block] = most;
  }
  barrier();
  most = 0u;
  [[unroll]] for (uint i = 0u; i < kBlocks; ++i) most = max(most, of_blocks[i]);
  const float base = uintBitsToFloat(bits_of(most));
  // Vulkan's exp() is off by 3 + 2 |x| units in the last place: with a largest term of 1, by at most 12 of the sum
  // (1.4e-6, where 1,023 terms are e^-5.5). Their arguments are rounded by 3e-7, and 15 additions lose 9e-7.
  float sum = 0.0;
  [[unroll]] for (uint i = 0u; i < kEach; ++i) {
    const uint order = orders[thread + i * kThreads];
    const float below = uintBitsToFloat(bits_of(order)) - base;
    sum += order != 0u && below > -80.0 ? exp(below) : 0.0;
  }
  sums[thread] = sum;
  barrier();
  for (uint half_n = kThreads / 2u; half_n > 0u; half_n /= 2u) {
    if (thread < half_n) sums[thread] += sums[thread + half_n];
    barrier();
  }
  if (thread != 0u) return;
  const uint at = query * p.answer_words + p.sums_at + 2u * gl_WorkGroupID.x;
  answers[at] = floatBitsToUint(sums[0]);
  answers[at + 1u] = floatBitsToUint(base);
}
