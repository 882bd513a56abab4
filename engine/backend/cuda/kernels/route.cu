// The experts of a row by its logits, best first, and their weights: probabilities are a softmax over all or a sigmoid
// of each, a bias may be added for the choice, and those of the chosen are divided by their sum, perhaps times a factor
// of each. Where the choice needs probabilities, they take the place of the logits. Blocks: (1, rows).
#include "backend/cuda/kernel_limits.h"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = kRouteThreads, kEach = kMostExperts / kThreads;

using RouteWords = args::RoutePush;

// In the place of the row's logits, each thread those of its own experts; others may read them behind the next barrier.
DEVICE void put_probabilities(const RouteWords& words, float* logits, auto& room) {
  const u32 thread = thread_index();
  if (words.is_sigmoid != 0) {
    for (u32 i = thread; i < words.n_experts; i += kThreads) logits[i] = 1 / (1 + exp_of(-words.scale * logits[i]));
    return;
  }
  float most = float_of(0xFF800000U);
  for (u32 i = thread; i < words.n_experts; i += kThreads) most = fmaxf(most, logits[i]);
  most = block_max<kThreads>(room, most);
  float sum = 0;
  for (u32 i = thread; i < words.n_experts; i += kThreads) {
    const float part = exp_of(words.scale * (logits[i] - most));
    logits[i] = part;
    sum += part == part ? part : 0;
  }
  BARRIER();  // the largest has been read
  sum = block_sum<kThreads>(room, sum);
  for (u32 i = thread; i < words.n_experts; i += kThreads) logits[i] /= sum;
}

// The larger, the likelier. A damaged model computes no numbers: those come last, so that n_used different experts are
// chosen as well. -0 is 0.
DEVICE u32 order_of(float logit) {
  if (logit != logit) return 0;
  const u32 bits = logit == 0 ? 0 : bits_of(logit);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

}  // namespace

KERNEL(route, kThreads, Params<RouteWords>) {
  SHARED(u32, orders, kMostExperts);
  SHARED(std::uint64_t, keys, kMostExperts);
  SHARED(float, room, kThreads / kWarp);
  const u32 n_experts = p.words.n_experts, n_used = p.words.n_used, row = block_y(), thread = thread_index();
  float* logits = buffer<float>(p, 3) + row * n_experts;
  const float* biases = p.words.has_choice_bias != 0 ? buffer<const float>(p, 2) : nullptr;
  // Of a softmax the sum over all cancels out where weights are divided by theirs.
  const bool needs_all = p.words.is_sigmoid != 0 || p.words.least_sum == 0 || biases != nullptr;
  if (needs_all) put_probabilities(p.words, logits, room);
  const auto order_at = [&](u32 expert) {
    return order_of(biases == nullptr ? logits[expert] : logits[expert] + biases[expert]);
  };
  // Of kMostExperts experts from `first` on the keys of those that can be among the chosen: of each 32, which a warp
  // ranks, the best, at most n_used. Larger keys are likelier, and of equal ones those with lower numbers; 0 is none.
  const u32 n_kept = smaller(n_used, kWarp);
  const auto put_keys = [&](u32 first) {
#pragma unroll 1
    for (u32 at = thread; first + at - thread < n_experts && at < kMostExperts; at += kThreads) {
      const u32 expert = first + at, own = expert < n_experts ? order_at(expert) : 0, lane = lane_index();
      orders[at] = own;
      WARP_BARRIER();
      u32 rank = 0;
#pragma unroll
      for (u32 other = 0; other < kWarp; ++other) {
        const u32 order = orders[at - lane + other];
        rank += order > own || (order == own && other < lane) ? 1 : 0;
      }
      if (rank < n_kept) keys[at / kWarp * n_kept + rank] = expert < n_experts ? std::uint64_t{own} << 32 | ~expert : 0;
    }
    return divide_up(smaller(kMostExperts, n_experts - first), kWarp) * n_kept;
  };
  u32* ids = buffer<u32>(p, 5) + row * n_used;
  float* weights = buffer<float>(p, 4) + row * n_used;
  // As many experts as have room are all of most models. Else their keys are compared with those of others in turn.
  const bool has_room = n_experts <= kMostExperts;
  for (u32 first = 0; first < n_experts; first += kMostExperts) {
    if (first > 0) BARRIER();  // those before have been read
    const u32 n_own = put_keys(first);
    BARRIER();
    std::uint64_t own[kEach];
    u32 ranks[kEach];
#pragma unroll
    for (u32 i = 0; i < kEach; ++i) {
      const u32 at = thread + i * kThreads;
      own[i] = ranks[i] = 0;
      if (at < n_own) own[i] = keys[at];
    }
    for (u32 others = 0; others < n_experts; others += kMostExperts) {
      u32 n_others = n_own;
      if (!has_room) {
        BARRIER();  // those before have been read
        n_others = put_keys(others);
        BARRIER();
      }
#pragma unroll
      for (u32 i = 0; i < kEach; ++i) {
        if (own[i] == 0) break;  // and none behind it
#pragma unroll 8
        for (u32 at = 0; at < n_others; ++at) ranks[i] += keys[at] > own[i] ? 1 : 0;
      }
    }
#pragma unroll
    for (u32 i = 0; i < kEach; ++i) {
      if (own[i] == 0 || ranks[i] >= n_used) continue;
      const u32 expert = ~static_cast<u32>(own[i]);
      ids[ranks[i]] = expert;
      weights[ranks[i]] = logits[expert];
    }
  }
  BARRIER();
  const float most = weights[0];
  const auto weight = [&](u32 i) { return needs_all ? weights[i] : exp_of(p.words.scale * (weights[i] - most)); };
  float chosen = 0;
  for (u32 i = thread; i < n_used; i += kThreads) chosen += weight(i);
  const float sum = block_sum<kThreads>(room, chosen);
  const float divisor = p.words.least_sum == 0 ? 1 : sum < p.words.least_sum ? p.words.least_sum : sum;
  for (u32 i = thread; i < n_used; i += kThreads) {
    // An expert also where a test has left out the barrier.
    const float factor = p.words.has_scales != 0 ? buffer<const float>(p, 1)[smaller(ids[i], n_experts - 1)] : 1;
    weights[i] = weight(i) / divisor * factor * p.words.weight_scale;
  }
}

}  // namespace headroom::cuda
