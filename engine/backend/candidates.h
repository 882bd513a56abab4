// The likeliest tokens of a row of logits. The device that computed the row finds them, so that a row of the whole
// vocabulary (a hundred thousand numbers) need not be copied to the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "plan/device_rules.h"

namespace headroom {

// One token that may be chosen.
struct Candidate {
  float logit = 0.0F;  // finite
  std::uint32_t id = 0;
};
static_assert(sizeof(Candidate) == kCandidateBytes, "the plan has room for candidates");

// The order of candidates: the likeliest first, of equal logits the lowest id.
inline bool is_likelier(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

// A damaged model can compute NaN and infinities, which would break that order.
inline float finite_logit(float logit) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::isnan(logit) ? -kLargest : std::clamp(logit, -kLargest, kLargest);
}

// The largest relative error of CandidateQuery::sum. Exponentials in f32 are off by 3e-7, and in a block of
// kRowSumBlock by what their argument, a difference of logits, was rounded by: 3e-7 of the sum. Adding up 32 numbers
// in each of 32 lanes, and those, loses at most 49 * 2^-24 = 2.9e-6 if all of it errs to one side. What a GPU loses is
// told in shaders/row_maxima.comp.
inline constexpr double kMostSumError = 5e-6;

// A question about one row of logits and room for its answer: the likeliest tokens, the logits of some tokens by their
// ids, and the sum of all exponentials.
struct CandidateQuery {
  std::uint32_t row = 0;               // of the logits of the last step, or of the one that it goes along with
  bool wants_sum = false;              // false: `sum` is not written
  std::span<const std::uint32_t> ids;  // of the vocabulary, at most kMostCandidates
  // The answer; all logits as finite_logit() has them.
  std::span<Candidate> best;  // the likeliest, as many as there is room for: 1 to min(n_vocab, kMostCandidates)
  std::span<float> logits;    // (ids.size()) of ids
  double sum = 0;             // of exp(logit - best.front().logit) over the whole row
};

// Answers a query in plain loops over a row that the host can read, (n_vocab). Tests hold every backend to it.
void answer_query(std::span<const float> row, CandidateQuery& query);

}  // namespace headroom
