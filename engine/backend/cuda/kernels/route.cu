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
  u32* ids = buffer<u32>(p, 5) + row * n_used;
  // As many experts as have room, each of them against as many others, are all of most models.
  for (u32 first = 0; first < n_experts; first += kMostExperts) {
    u32 own[kEach], ranks[kEach];
#pragma unroll
    for (u32 i = 0; i < kEach; ++i) {
      const u32 expert = first + thread + i * kThreads;
      own[i] = expert < n_experts ? order_at(expert) : 0;
      ranks[i] = 0;
    }
    for (u32 others = 0; others < n_experts; others += kMostExperts) {
      const u32 n_others = smaller(kMostExperts, n_experts - others);
      if (first + others > 0) BARRIER();  // those before have been read
#pragma unroll
      for (u32 i = 0; i < kEach; ++i) {
        const u32 at = thread + i * kThreads;
        if (at < n_others) orders[at] = first == others ? own[i] : order_at(others + at);
      }
      BARRIER();
      // How many come before each of the thread's experts: of equal ones those with lower numbers.
#pragma unroll
      for (u32 i = 0; i < kEach; ++i) {
        if (first + i * kThreads >= n_experts) break;  // of the whole block
        const u32 expert = first + thread + i * kThreads;
#pragma unroll 8
        for (u32 at = 0; at < n_others; ++at) {
          const u32 order = orders[at];
          ranks[i] += order > own[i] || (order == own[i] && others + at < expert) ? 1 : 0;
        }
      }
    }
#pragma unroll
    for (u32 i = 0; i < kEach; ++i) {
      const u32 expert = first + thread + i * kThreads;
      if (expert < n_experts && ranks[i] < n_used) ids[ranks[i]] = expert;
    }
  }
  BARRIER();
  // Within the row also where a test has left out the barrier.
  const auto chosen_at = [&](u32 i) { return smaller(ids[i], n_experts - 1); };
  const float most = logits[chosen_at(0)];
  const auto weight = [&](u32 i) {
    return needs_all ? logits[chosen_at(i)] : exp_of(p.words.scale * (logits[chosen_at(i)] - most));
  };
  float chosen = 0;
  for (u32 i = thread; i < n_used; i += kThreads) chosen += weight(i);
  const float sum = block_sum<kThreads>(room, chosen);
  const float divisor = p.words.least_sum == 0 ? 1 : sum < p.words.least_sum ? p.words.least_sum : sum;
  for (u32 i = thread; i < n_used; i += kThreads) {
    const float factor = p.words.has_scales != 0 ? buffer<const float>(p, 1)[chosen_at(i)] : 1;
    buffer<float>(p, 4)[row * n_used + i] = weight(i) / divisor * factor * p.words.weight_scale;
  }
}

}  // namespace headroom::cuda
