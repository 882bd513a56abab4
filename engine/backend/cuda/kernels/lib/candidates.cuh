// What the kernels that look for candidates share: queries of the inputs (see plan/gpu_rules.h), and logits in an order
// that whole numbers have.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

inline constexpr u32 kRowBlock = 64, kRowSumBlock = 1024, kMostCandidates = 512;  // plan/device_rules.h
inline constexpr u32 kCandidateThreads = 128;

using CandidateWords = args::CandidatesPush;
using CandidateParams = Params<CandidateWords>;

struct Query {
  u32 row, n_best, n_ids;  // no best: there is no such query
};
DEVICE Query query_of(const CandidateParams& p, u32 index) {
  const u32* at = inputs_of(p) + p.words.queries_at + index * kRowWords;
  return {at[0], at[1], at[2]};
}
DEVICE const u32* logits_of(const CandidateParams& p, const Query& query) {
  return buffer<const u32>(p, 3) + std::uint64_t{query.row} * p.words.n_vocab;
}
DEVICE u32* answer_of(const CandidateParams& p, u32 index) {
  return buffer<u32>(p, 4) + std::uint64_t{index} * p.words.answer_words;
}
// The largest logits of blocks of kRowBlock tokens.
DEVICE u32* maxima_of(const CandidateParams& p, u32 index) {
  return buffer<u32>(p, 5) + std::uint64_t{index} * p.words.maxima_words;
}

inline constexpr u32 kLargestBits = 0x7F7FFFFFU;

// The larger, the likelier; finite_logit() comes first, and -0 is 0. Nothing is 0 but what is no token.
DEVICE u32 order_of(u32 bits) {
  const u32 magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return ~(kLargestBits | 0x80000000U);
  const u32 finite = smaller(magnitude, kLargestBits);
  return (bits >> 31) != 0 && finite != 0 ? ~(finite | 0x80000000U) : finite | 0x80000000U;
}

DEVICE u32 logit_bits(u32 order) { return (order & 0x80000000U) != 0 ? order & 0x7FFFFFFFU : ~order; }

}  // namespace headroom::cuda
