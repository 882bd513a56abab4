// The experts of a row by its logits, best first, and their weights: a softmax over all, divided by the sum of those
// that were chosen, perhaps times a factor of each. Blocks: (1, rows).
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 64;

using RouteWords = args::RoutePush;

// A damaged model computes no numbers: those come last, so that n_used different experts are chosen as well.
DEVICE bool comes_before(u32 a, float of_a, u32 b, float of_b) {
  const bool is_number = of_a == of_a, other_is = of_b == of_b;
  if (is_number != other_is) return is_number;
  return is_number && of_a != of_b ? of_a > of_b : a < b;
}

DEVICE u32 rank_of(const float* logits, u32 n_experts, u32 expert) {
  const float logit = logits[expert];
  u32 rank = 0;
  for (u32 other = 0; other < n_experts; ++other)
    rank += other != expert && comes_before(other, logits[other], expert, logit) ? 1 : 0;
  return rank;
}

}  // namespace

KERNEL(route, kThreads, Params<RouteWords>) {
  SHARED(float, room, kThreads / kWarp);
  SHARED(float, largest, 1);
  const u32 n_experts = p.words.n_experts, n_used = p.words.n_used, row = block_y();
  const float* logits = buffer<const float>(p, 3) + row * n_experts;
  // One pass finds the rank of each expert, another weighs those that were chosen against the best.
  for (u32 expert = thread_index(); expert < n_experts; expert += kThreads) {
    const u32 rank = rank_of(logits, n_experts, expert);
    if (rank == 0) largest[0] = logits[expert];
    if (rank < n_used) buffer<u32>(p, 5)[row * n_used + rank] = expert;
  }
  BARRIER();
  const float most = largest[0];
  float chosen = 0;
  for (u32 expert = thread_index(); expert < n_experts; expert += kThreads) {
    if (rank_of(logits, n_experts, expert) < n_used) chosen += exp_of(p.words.scale * (logits[expert] - most));
  }
  const float sum = block_sum<kThreads>(room, chosen);
  for (u32 expert = thread_index(); expert < n_experts; expert += kThreads) {
    const u32 rank = rank_of(logits, n_experts, expert);
    if (rank >= n_used) continue;
    const float factor = p.words.has_scales != 0 ? buffer<const float>(p, 1)[expert] : 1;
    buffer<float>(p, 4)[row * n_used + rank] = exp_of(p.words.scale * (logits[expert] - most)) / sum * factor;
  }
}

}  // namespace headroom::cuda
